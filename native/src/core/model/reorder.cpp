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

std::vector<LayerPlan> reorder(std::vector<LayerPlan> layers) {
  for (size_t i = 0; i + 1 < layers.size(); ++i) {
    if (layers[i].kind != "ReLU" || !commutes_with_relu(layers[i + 1])) continue;
    layers[i].output = layers[i + 1].output;
    std::swap(layers[i], layers[i + 1]);
  }
  return layers;
}

}  // namespace gradloom
