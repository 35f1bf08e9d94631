// Random numbers of one sample in one epoch: those of torch's CPU generator after manual_seed(stream_seed(…)), drawn by
// the functions that torchvision calls.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/MT19937RNGEngine.h>
#include <ATen/core/TensorBody.h>

#include <cstdint>
#include <vector>

namespace gradloom {

class Draws {
 public:
  explicit Draws(uint64_t seed) : engine_(seed) {}

  /// torch.rand(1).
  float uniform();

  /// torch.randint(0, end, (1,)).
  int64_t below(int64_t end);

  /// torch.empty(1).uniform_(from, to).
  double between(double from, double to) { return uniform_tensor(from, to).item<double>(); }
  at::Tensor uniform_tensor(double from, double to);

  /// torch.randn(sizes).
  at::Tensor normal(at::IntArrayRef sizes);

  /// torch.randperm(n).
  std::vector<double> permutation(int64_t n);

 private:
  uint32_t next();
  const at::Generator& generator();

  // Most transforms draw a few whole numbers only: a generator of torch's is made for the others.
  at::mt19937 engine_;
  at::Generator generator_;
};

}  // namespace gradloom
