// The rewrites themselves.
#include "core/model/reorder.h"

#include <utility>

namespace gradloom {

namespace {

/// With a dilated window there are positions that see padding only; their maximum is -inf, which ReLU would change.
bool commutes_with_relu(const LayerPlan& layer) {
  return layer.kind == "MaxPool2d" && layer.args.pair("dilation") == std::vector<int64_t>{1, 1};
}

}  // namespace

std::vector<Placement> reorder(const std::vector<LayerPlan>& layers) {
  std::vector<Placement> placed;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].kind != "ReLU" || i + 1 == layers.size() || !commutes_with_relu(layers[i + 1])) {
      placed.push_back({layers[i], Role::plain});
      continue;
    }
    LayerPlan relu = layers[i];
    relu.output = layers[i + 1].output;
    placed.push_back({layers[++i], Role::pool_with_relu});
    placed.push_back({std::move(relu), Role::relu_done});
  }
  return placed;
}

}  // namespace gradloom
