// Sequences: from images, where each position stands, and to one vector.
#include <ATen/ATen.h>

#include <cmath>

#include "core/layers/init.h"
#include "core/layers/table.h"

namespace gradloom {

namespace {

Forward build_patch_embedding(Builder& build) {
  const Args& args = build.args();
  const std::vector<int64_t> patch = args.pair("patch_size");
  const std::vector<int64_t> shape = {args.integer("embedding_dim"), args.integer("in_channels"), patch[0], patch[1]};
  const at::Tensor weight = build.parameter("proj.weight", draw_weight(shape));
  const at::Tensor bias = args.flag("bias") ? build.parameter("proj.bias", draw_bias(shape)) : at::Tensor();
  return [=](const at::Tensor& input, const Pass&) {
    return at::conv2d(input, weight, bias, patch).flatten(2).transpose(1, 2).contiguous();
  };
}

Forward build_class_token(Builder& build) {
  const at::Tensor token = build.parameter("weight", at::zeros({1, 1, build.args().integer("embed_dim")}));
  const Padding padding(build.args());
  return [=, path = build.plan().path](const at::Tensor& input, const Pass& pass) {
    if (padding.known()) tell_padding(pass, path, at::constant_pad_nd(padding.in(pass).padding(), {1, 0}, false));
    return at::cat({token.expand({input.size(0), 1, -1}), input}, 1);
  };
}

Forward build_positional_embedding(Builder& build) {
  const Args& args = build.args();
  const at::Tensor values = at::empty({1, args.integer("length"), args.integer("embed_dim")});
  const at::Tensor weight = build.parameter("weight", values.normal_(0, args.number("std")));
  return [weight](const at::Tensor& input, const Pass&) { return at::add(input, weight); };
}

Forward build_sinusoidal_encoding(Builder& build) {
  const Args& args = build.args();
  const int64_t features = args.integer("embed_dim");
  const at::Tensor rates =
      at::exp(at::arange(0, features, 2, at::kDouble) * (-std::log(args.number("base")) / static_cast<double>(features)));
  const at::Tensor angles = at::arange(args.integer("length")).unsqueeze(1) * rates;
  const at::Tensor all = at::stack({angles.sin(), angles.cos()}, 2).flatten(1);
  const at::Tensor waves = all.narrow(1, 0, features).to(at::kFloat).contiguous().to(build.device());
  return [waves](const at::Tensor& input, const Pass&) { return at::add(input, waves); };
}

Forward build_take_position(Builder& build) {
  const int64_t position = build.args().integer("position");
  const Padding padding(build.args());
  return [=](const at::Tensor& input, const Pass& pass) {
    if (!padding.known() || position >= 0) return input.select(1, position);
    const at::Tensor& lengths = padding.in(pass).lengths();
    const at::Tensor samples = at::arange(input.size(0), lengths.options());
    return at::index(input, {samples, (lengths + position).clamp_min(0)});
  };
}

Forward build_mean_over_sequence(Builder& build) {
  const Padding padding(build.args());
  return [padding](const at::Tensor& input, const Pass& pass) {
    if (!padding.known()) return input.mean(1);
    // Counted in floats: beyond 256 positions bf16 has no odd numbers.
    const at::Tensor counted = padding.in(pass).padding().logical_not().to(at::kFloat);
    at::Tensor weights = (counted / counted.sum(1, true)).to(input.scalar_type());
    while (weights.dim() < input.dim()) weights = weights.unsqueeze(-1);
    return (input * weights).sum(1);
  };
}

constexpr LayerKind rows[] = {
    {"PatchEmbedding", {"in_channels", "embedding_dim", "patch_size", "bias"}, build_patch_embedding},
    {"ClassToken", {"embed_dim", "mask", "longer_mask"}, build_class_token, true},
    {"PositionalEmbedding", {"length", "embed_dim", "std"}, build_positional_embedding, true},
    {"SinusoidalEncoding", {"length", "embed_dim", "base"}, build_sinusoidal_encoding, true},
    {"TakePosition", {"mask", "position"}, build_take_position},
    {"MeanOverSequence", {"mask"}, build_mean_over_sequence, true},
};

}  // namespace

std::span<const LayerKind> sequence_layers() {
  return rows;
}

}  // namespace gradloom
