// MaxPool2d's arguments and forward, shared with the layers before it that run together with it.
#pragma once

#include <array>

#include "core/kernels/max_pool.h"
#include "core/plan.h"

namespace gradloom {

struct MaxPoolArgs {
  PoolWindow window;
  std::array<int64_t, 2> dilation;

  /// A dilated window can lie on padding only; its maximum is -inf, which a ReLU or a bias after it would change.
  bool dense() const { return dilation == std::array<int64_t, 2>{1, 1}; }
};

MaxPoolArgs max_pool_args(const Args& args);

/// MaxPool2d, then ReLU if wanted, by the fastest way that takes the input.
at::Tensor run_max_pool(const at::Tensor& input, const MaxPoolArgs& args, bool relu);

}  // namespace gradloom
