// Torch's permutations, computed without ATen's thread pool so that loader threads may call them, and the `random`
// source's files.
#include "core/random_source.h"

#include "core/devices.h"
#include "core/errors.h"
#include "core/files.h"

#include <ATen/core/MT19937RNGEngine.h>

#include <numeric>

namespace gradloom {

std::vector<int64_t> randperm(int64_t n, uint64_t seed) {
  // ATen's randperm_cpu: one draw of 32 bits for each place, of 64 bits where 32 would favour some places.
  if (n < 0) throw Error("BAD_CALL", "randperm needs n ≥ 0 but received " + std::to_string(n) + ".");
  at::mt19937 engine(seed);
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  const bool wide = n >= std::numeric_limits<uint32_t>::max() / 20;
  for (int64_t i = 0; i + 1 < n; ++i) {
    uint64_t draw = engine();
    if (wide) draw = draw << 32 | engine();
    std::swap(order[static_cast<size_t>(i)],
              order[static_cast<size_t>(i + static_cast<int64_t>(draw % static_cast<uint64_t>(n - i)))]);
  }
  return order;
}

namespace {

uint64_t splitmix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

uint64_t stream_seed(uint64_t seed, Stream stream, int64_t epoch, int64_t index) {
  const uint64_t start = splitmix64(splitmix64(seed) ^ static_cast<uint64_t>(stream));
  return splitmix64(splitmix64(start ^ static_cast<uint64_t>(epoch)) ^ static_cast<uint64_t>(index));
}

namespace {

void write_tensor(const std::string& path, const at::Tensor& tensor) {
  OutputFile file(path);
  file.write(tensor.const_data_ptr(), tensor.nbytes());
  file.finish();
}

std::vector<int64_t> with_samples(int64_t samples, const std::vector<int64_t>& shape) {
  std::vector<int64_t> dims{samples};
  dims.insert(dims.end(), shape.begin(), shape.end());
  return dims;
}

}  // namespace

void write_random(const RandomRequest& request) {
  prepare_process();
  at::Generator generator = at::detail::createCPUGenerator(request.seed);
  const int64_t samples = request.samples;
  const int64_t classes = request.classes.value_or(0);
  const std::string targets = !request.targets.empty() ? request.targets : request.classes ? "class" : "vector";
  if (targets == "next_token") {
    std::vector<int64_t> dims = with_samples(samples, request.shape);
    ++dims.back();
    const at::Tensor tokens = at::randint(classes, dims, generator, at::kLong);
    write_tensor(request.input, tokens.narrow(-1, 0, dims.back() - 1).contiguous());
    write_tensor(request.target, tokens.narrow(-1, 1, dims.back() - 1).contiguous());
    return;
  }
  const std::vector<int64_t> inputs = with_samples(samples, request.shape);
  write_tensor(request.input, request.tokens ? at::randint(*request.tokens, inputs, generator, at::kLong)
                                             : at::randn(inputs, generator, at::kFloat));
  const auto draw = [&]() -> at::Tensor {
    const std::vector<int64_t> dims = with_samples(samples, request.target_shape);
    if (targets == "class") return at::randint(classes, {samples}, generator, at::kLong);
    if (targets == "multi_label") return at::randint(2, {samples, classes}, generator, at::kLong).to(at::kFloat);
    if (targets == "mask") return at::randint(classes, dims, generator, at::kLong);
    if (targets == "vector") return at::randn(dims, generator, at::kFloat);
    throw Error("BAD_CALL", "There are no targets of the kind " + targets + ".", {}, "targets");
  };
  write_tensor(request.target, draw());
}

}  // namespace gradloom
