// The layer table itself. To add a kind: a row here, its build function in the family's file, and its row in
// engine/contract/layers.
#include "core/layers/table.h"

#include "core/errors.h"
#include "core/layers/families.h"

namespace gradloom {

namespace {

constexpr LayerKind kinds[] = {
    // dense.cpp
    {"Linear", {"in_features", "out_features", "bias"}, build_linear, true},
    // conv.cpp
    {"Conv2d",
     {"in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups", "bias", "padding_mode"},
     build_conv2d,
     true},
    // pool.cpp
    {"MaxPool2d", {"kernel_size", "stride", "padding", "dilation", "ceil_mode"}, build_max_pool2d, true},
    {"AvgPool2d",
     {"kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"},
     build_avg_pool2d,
     true},
    {"AdaptiveAvgPool2d", {"output_size"}, build_adaptive_avg_pool2d, true},
    // norm.cpp
    {"BatchNorm2d",
     {"num_features", "eps", "momentum", "affine", "track_running_stats", "bias"},
     build_batch_norm2d,
     true},
    {"LayerNorm", {"normalized_shape", "eps", "elementwise_affine", "bias"}, build_layer_norm, true},
    // activation.cpp
    {"ReLU", {}, build_relu},
    {"LeakyReLU", {"negative_slope"}, build_leaky_relu},
    {"GELU", {"approximate"}, build_gelu},
    {"SiLU", {}, build_silu},
    {"Sigmoid", {}, build_sigmoid},
    {"Tanh", {}, build_tanh},
    {"Softmax", {"dim"}, build_softmax},
    {"LogSoftmax", {"dim"}, build_log_softmax},
    // shape.cpp
    {"Dropout", {"p"}, build_dropout},
    {"Flatten", {"start_dim", "end_dim"}, build_flatten},
    {"Identity", {}, build_identity},
    // block.cpp
    {"Residual", {}, build_residual, true},
    {"Parallel", {"join", "dim"}, build_parallel},
    {"Repeat", {}, build_repeat},
};

}  // namespace

std::span<const LayerKind> layer_kinds() {
  return kinds;
}

const LayerKind& layer_kind(const LayerPlan& plan) {
  for (const LayerKind& row : kinds) {
    if (row.kind == plan.kind) return row;
  }
  throw Error("NOT_SUPPORTED", "The engine has no layer kind " + plan.kind + ".",
              "Update Gradloom, or use another kind.", plan.path);
}

}  // namespace gradloom
