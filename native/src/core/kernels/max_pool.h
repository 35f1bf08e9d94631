// Max pooling of channels_last floats on the CPU, with ReLU included if wanted: along contiguous channels, a byte for each maximum's
// place instead of ATen's eight, and nothing else kept for backward.
#pragma once

#include <ATen/core/TensorBody.h>

#include <cstdint>

namespace gradloom {

struct PoolWindow {
  int64_t kernel_h, kernel_w;
  int64_t stride_h, stride_w;
  int64_t padding_h, padding_w;
  bool ceil_mode;
};

/// Whether `max_pool` takes this input: dense channels_last float32 on the CPU with channels enough to run along, and a window that fits
/// it and whose places fit in a byte.
bool max_pool_applies(const at::Tensor& input, const PoolWindow& window);

/// Equal to at::max_pool2d (dilation 1), and with `relu` to at::relu of that, values and gradients, NaN and ties included.
at::Tensor max_pool(const at::Tensor& input, const PoolWindow& window, bool relu);

}  // namespace gradloom
