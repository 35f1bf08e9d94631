// Fully connected layers.
#include <ATen/ATen.h>

#include "core/layers/table.h"
#include "core/layers/init.h"

namespace gradloom {

namespace {

Forward build_linear(Builder& build) {
  const std::vector<int64_t> shape = {build.args().integer("out_features"), build.args().integer("in_features")};
  const at::Tensor weight = build.parameter("weight", draw_weight(shape));
  const at::Tensor bias = build.args().flag("bias") ? build.parameter("bias", draw_bias(shape)) : at::Tensor();
  return [weight, bias](const at::Tensor& input, const Pass&) { return at::linear(input, weight, bias); };
}

constexpr LayerKind rows[] = {
    {"Linear", {"in_features", "out_features", "bias"}, build_linear, true},
};

}  // namespace

std::span<const LayerKind> dense_layers() {
  return rows;
}

}  // namespace gradloom
