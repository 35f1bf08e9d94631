// Layouts in memory: convolutions here may answer channels_last, which PyTorch's never do by themselves.
#pragma once

#include <ATen/core/TensorBody.h>

namespace gradloom {

/// The tensor as PyTorch would have it at this place. For what depends on the order in which values lie in memory: masks
/// are drawn in it, and views hand it on to what comes after. Other strides are those that PyTorch has there, too.
inline at::Tensor as_in_pytorch(const at::Tensor& input) {
  return input.suggest_memory_format() == at::MemoryFormat::Contiguous ? input : input.contiguous();
}

}  // namespace gradloom
