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
enum class Stream : uint64_t { batch = 1, sample = 2 };

/// Seed of the generator of one batch or sample in one epoch: independent of workers, chunks and what came before.
/// splitmix64 chained over seed, stream, epoch and index.
uint64_t stream_seed(uint64_t seed, Stream stream, int64_t epoch, int64_t index);

struct RandomRequest {
  std::vector<int64_t> shape;
  std::optional<int64_t> classes;
  std::vector<int64_t> target_shape;  // used when `classes` is absent
  int64_t samples = 0;
  uint64_t seed = 0;
  std::string input;   // file to write, little-endian float32
  std::string target;  // file to write, int64 class indices or float32 rows
};

/// Of one generator: torch.randn(samples, …shape), then torch.randint(classes, (samples)) or torch.randn(samples,
/// …target_shape).
void write_random(const RandomRequest& request);

}  // namespace gradloom
