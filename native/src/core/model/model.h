// The whole network on its device: forward, and every tensor by its name in weights files.
#pragma once

#include <vector>

#include "core/model/layer.h"
#include "core/model/recompute.h"

namespace gradloom {

class Model {
 public:
  /// Draws the initial weights from the CPU's default generator, layer after layer. `segment_starts`: paths of the
  /// layers at which segments begin that a training forward computes again in the backward pass; empty: none.
  Model(const std::vector<LayerPlan>& layers, const std::vector<std::string>& segment_starts, c10::Device device);

  at::Tensor forward(const at::Tensor& input, Pass pass) const;

  /// Parameters and buffers, in state_dict's order.
  const std::vector<ModelTensor>& tensors() const { return registry_.tensors; }
  std::vector<at::Tensor> parameters() const;

  /// Stops parameters of these names from training: no gradient is computed for them. Buffers still follow the data.
  void freeze(const std::vector<std::string>& names);

  /// The parameters that train.
  std::vector<ModelTensor> trainable() const;

  std::vector<at::Tensor> buffers() const;

  /// A training forward uses the device's generator.
  bool draws_random() const { return registry_.draws_random; }

 private:
  Registry registry_;
  std::shared_ptr<const List> layers_;  // segments point into it
  std::vector<Segment> segments_;
};

}  // namespace gradloom
