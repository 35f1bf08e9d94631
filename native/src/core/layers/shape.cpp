// Layers without arithmetic of their own: dropout, reshaping, identity.
#include <ATen/ATen.h>

#include "core/layers/table.h"

namespace gradloom {

namespace {

Forward build_dropout(Builder& build) {
  build.draws_random();
  return [p = build.args().number("p")](const at::Tensor& input, const Pass& pass) {
    // Contiguous, because the mask is drawn in the order in which values lie in memory: PyTorch's, which has no
    // channels_last here.
    return pass.training ? at::dropout(input.contiguous(), p, true) : input;
  };
}

Forward build_flatten(Builder& build) {
  return [start = build.args().integer("start_dim"), end = build.args().integer("end_dim")](
             const at::Tensor& input, const Pass&) { return at::flatten(input, start, end); };
}

Forward build_identity(Builder&) {
  return [](const at::Tensor& input, const Pass&) { return input; };
}

constexpr LayerKind rows[] = {
    {"Dropout", {"p"}, build_dropout},
    {"Flatten", {"start_dim", "end_dim"}, build_flatten},
    {"Identity", {}, build_identity},
};

}  // namespace

std::span<const LayerKind> shape_layers() {
  return rows;
}

}  // namespace gradloom
