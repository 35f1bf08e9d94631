// Initial values as torch.nn's reset_parameters draws them: the same draws in the same order give Python's weights.
#pragma once

#include <ATen/core/TensorBody.h>

#include <optional>
#include <vector>

namespace gradloom {

/// Weights of Linear and convolutions: kaiming_uniform_(a=sqrt(5)) over the fan-in of `shape` (all dimensions but the
/// first).
at::Tensor draw_weight(const std::vector<int64_t>& shape);

/// Their bias: uniform within ±1/sqrt(fan-in) of the weight's `shape`; as many as the weight's first dimension unless
/// `count` says otherwise.
at::Tensor draw_bias(const std::vector<int64_t>& weight_shape, std::optional<int64_t> count = std::nullopt);

}  // namespace gradloom
