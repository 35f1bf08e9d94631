// Fully connected layers.
#include <ATen/ATen.h>

#include <cmath>

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

/// torch.nn.Bilinear with the input as both of its inputs.
Forward build_bilinear(Builder& build) {
  const int64_t in = build.args().integer("in1_features");
  const int64_t out = build.args().integer("out_features");
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  const at::Tensor weight = build.parameter("weight", at::empty({out, in, in}).uniform_(-bound, bound));
  const at::Tensor bias =
      build.args().flag("bias") ? build.parameter("bias", at::empty({out}).uniform_(-bound, bound)) : at::Tensor();
  return [weight, bias](const at::Tensor& input, const Pass&) {
    return at::bilinear(input, input, weight.to(input.scalar_type()),
                        bias.defined() ? bias.to(input.scalar_type()) : bias);
  };
}

constexpr LayerKind rows[] = {
    {"Linear", {"in_features", "out_features", "bias"}, build_linear, true},
    {"Bilinear", {"in1_features", "in2_features", "out_features", "bias"}, build_bilinear},
};

}  // namespace

std::span<const LayerKind> dense_layers() {
  return rows;
}

}  // namespace gradloom
