// Layers without arithmetic of their own: reshaping, identity.
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

Forward build_identity(Builder&) {
  return [](const at::Tensor& input, const Pass&) { return input; };
}

constexpr LayerKind rows[] = {
    {"Flatten", {"start_dim", "end_dim"}, build_flatten},
    {"Unflatten", {"dim", "unflattened_size"}, build_unflatten},
    {"Permute", {"dims"}, build_permute},
    {"Identity", {}, build_identity},
};

}  // namespace

std::span<const LayerKind> shape_layers() {
  return rows;
}

}  // namespace gradloom
