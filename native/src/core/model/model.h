// The whole network on its device: forward, and every tensor by its name in weights files.
#pragma once

#include <vector>

#include "core/model/layer.h"

namespace gradloom {

class Model {
 public:
  /// Draws the initial weights from the CPU's default generator, layer after layer.
  Model(const std::vector<LayerPlan>& layers, c10::Device device);

  at::Tensor forward(const at::Tensor& input, const Pass& pass) const { return layers_.forward(input, pass); }

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
  List layers_;
};

}  // namespace gradloom
