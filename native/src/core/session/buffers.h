// The model's buffers (BatchNorm's statistics) in two flat tensors, so that a step can be taken back with a handful of
// operations.
#pragma once

#include <ATen/core/TensorBody.h>

#include <vector>

namespace gradloom {

class Buffers {
 public:
  /// Moves the buffers' values into flat storage; the given tensors become views of it.
  explicit Buffers(const std::vector<at::Tensor>& buffers);

  void save();
  void restore();
  /// Restores where the device's flag ([1], 0 or 1) is set, without asking for it.
  void restore_where(const at::Tensor& flag);

 private:
  struct Flat {
    at::Tensor values;
    at::Tensor saved;
  };
  std::vector<Flat> flats_;  // one an element type
};

}  // namespace gradloom
