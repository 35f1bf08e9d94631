// The draws of torch.nn.init, in its arithmetic: doubles up to the bound, then one uniform_ over the tensor.
#include "core/layers/init.h"

#include <ATen/ATen.h>

#include <cmath>

namespace gradloom {

namespace {

double fan_in(const std::vector<int64_t>& shape) {
  double product = 1;
  for (size_t i = 1; i < shape.size(); ++i) product *= static_cast<double>(shape[i]);
  return product;
}

}  // namespace

at::Tensor draw_weight(const std::vector<int64_t>& shape) {
  const double a = std::sqrt(5.0);
  const double gain = std::sqrt(2.0 / (1 + a * a));
  const double bound = std::sqrt(3.0) * (gain / std::sqrt(fan_in(shape)));
  return at::empty(shape).uniform_(-bound, bound);
}

at::Tensor draw_bias(const std::vector<int64_t>& weight_shape, std::optional<int64_t> count) {
  const double bound = 1 / std::sqrt(fan_in(weight_shape));
  return at::empty({count.value_or(weight_shape.front())}).uniform_(-bound, bound);
}

}  // namespace gradloom
