// Torch's random numbers outside a session: permutations and the files of the `random` source. Free of torch headers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradloom {

/// torch.randperm(n) of a CPU generator seeded `seed`.
std::vector<int64_t> randperm(int64_t n, uint64_t seed);

/// What numbers are drawn for, apart from the training generator.
enum class Stream : uint64_t { batch = 1, sample = 2, order = 3 };

/// Seed of the generator of one batch or sample in one epoch: independent of workers, chunks and what came before.
/// splitmix64 chained over seed, stream, epoch and index.
uint64_t stream_seed(uint64_t seed, Stream stream, int64_t epoch, int64_t index);

struct RandomRequest {
  std::vector<int64_t> shape;
  std::optional<int64_t> classes;
  std::optional<int64_t> tokens;      // of the inputs; absent: they are floats
  std::string targets;                // class, multi_label, vector, mask or next_token; empty: as `classes` says
  std::vector<int64_t> target_shape;  // of vectors and masks
  int64_t samples = 0;
  uint64_t seed = 0;
  std::string input;   // file to write, little-endian float32, of tokens int64
  std::string target;  // file to write, int64 indices or float32 rows
};

/// Of one generator: torch.randn(samples, …shape), or torch.randint(tokens, (samples, …shape)), then
/// - class: torch.randint(classes, (samples))
/// - multi_label: torch.randint(2, (samples, classes)) as float32
/// - vector: torch.randn(samples, …target_shape)
/// - mask: torch.randint(classes, (samples, …target_shape))
/// For next_token only torch.randint(classes, (samples, …shape with one more)): the input is all but the last, the
/// target all but the first.
void write_random(const RandomRequest& request);

}  // namespace gradloom
