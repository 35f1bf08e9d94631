// Layers that only put values elsewhere: reshaping, exchanging, windows side by side, identity.
#include <ATen/ATen.h>

#include "core/layers/layout.h"
#include "core/layers/table.h"

namespace gradloom {

namespace {

Forward build_flatten(Builder& build) {
  return [start = build.args().integer("start_dim"), end = build.args().integer("end_dim")](
             const at::Tensor& input, const Pass&) { return at::flatten(as_in_pytorch(input), start, end); };
}

Forward build_unflatten(Builder& build) {
  return [dim = build.args().integer("dim"), sizes = build.args().integers("unflattened_size")](
             const at::Tensor& input, const Pass&) { return at::unflatten(as_in_pytorch(input), dim, sizes); };
}

Forward build_permute(Builder& build) {
  return [dims = build.args().integers("dims")](const at::Tensor& input, const Pass&) {
    return at::permute(input, dims).contiguous();
  };
}

Forward build_channel_shuffle(Builder& build) {
  return [groups = build.args().integer("groups")](const at::Tensor& input, const Pass&) {
    return at::channel_shuffle(input, groups);
  };
}

Forward build_unfold(Builder& build) {
  const Args& args = build.args();
  return [kernel = args.integers("kernel_size"), dilation = args.integers("dilation"),
          padding = args.integers("padding"), stride = args.integers("stride")](const at::Tensor& input, const Pass&) {
    return at::im2col(as_in_pytorch(input), kernel, dilation, padding, stride);
  };
}

Forward build_fold(Builder& build) {
  const Args& args = build.args();
  return [size = args.integers("output_size"), kernel = args.integers("kernel_size"),
          dilation = args.integers("dilation"), padding = args.integers("padding"),
          stride = args.integers("stride")](const at::Tensor& input, const Pass&) {
    return at::col2im(input, size, kernel, dilation, padding, stride);
  };
}

Forward build_identity(Builder&) {
  return [](const at::Tensor& input, const Pass&) { return input; };
}

constexpr LayerKind rows[] = {
    {"Flatten", {"start_dim", "end_dim"}, build_flatten},
    {"Unflatten", {"dim", "unflattened_size"}, build_unflatten},
    {"Permute", {"dims"}, build_permute},
    {"ChannelShuffle", {"groups"}, build_channel_shuffle},
    {"Unfold", {"kernel_size", "dilation", "padding", "stride"}, build_unfold},
    {"Fold", {"output_size", "kernel_size", "dilation", "padding", "stride"}, build_fold},
    {"Identity", {}, build_identity},
};

}  // namespace

std::span<const LayerKind> shape_layers() {
  return rows;
}

}  // namespace gradloom
