// Max pooling of channels_last floats on the CPU, with ReLU included if wanted: along contiguous channels, a byte for
// each maximum's place instead of ATen's eight, and nothing else kept for backward.
#pragma once

#include <ATen/core/TensorBody.h>

#include "core/kernels/pool_loops.h"

namespace gradloom {

/// Whether `max_pool` takes this input: dense channels_last float32 on the CPU, and a valid PoolShape.
bool max_pool_applies(const at::Tensor& input, const PoolWindow& window);

/// Equal to at::max_pool2d (dilation 1), and with `relu` to at::relu of that, values and gradients, NaN and ties
/// included.
at::Tensor max_pool(const at::Tensor& input, const PoolWindow& window, bool relu);

/// A convolution's arguments besides its tensors.
struct ConvArgs {
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  std::vector<int64_t> dilation;
  int64_t groups;
};

/// Whether `conv_max_pool` takes this input.
bool conv_max_pool_applies(const at::Tensor& input, const at::Tensor& weight, const ConvArgs& conv,
                           const PoolWindow& window);

/// max_pool of a convolution, a few samples at a time: what lies between the two stays in the cache and is never whole.
/// The bias is added to the maxima, where it moves no maximum, and its gradient is summed there. Equal to the two
/// layers up to rounding.
at::Tensor conv_max_pool(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                         const ConvArgs& conv, const PoolWindow& window, bool relu);

}  // namespace gradloom
