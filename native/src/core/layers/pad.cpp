// Padding.
#include <ATen/ATen.h>

#include "core/layers/table.h"

namespace gradloom {

namespace {

/// PyTorch's order of widths, and its modes' names; the widths' number says how many dimensions they are for.
Forward pad(Builder& build, const char* mode, std::optional<double> value = std::nullopt) {
  return [=, widths = build.args().integers("padding")](const at::Tensor& input, const Pass&) {
    return at::pad(input, widths, mode, value);
  };
}

Forward build_zero_pad(Builder& build) {
  return pad(build, "constant", 0);
}

Forward build_constant_pad(Builder& build) {
  return pad(build, "constant", build.args().number("value"));
}

Forward build_reflection_pad(Builder& build) {
  return pad(build, "reflect");
}

Forward build_replication_pad(Builder& build) {
  return pad(build, "replicate");
}

Forward build_circular_pad(Builder& build) {
  return pad(build, "circular");
}

constexpr LayerKind rows[] = {
    {"ZeroPad1d", {"padding"}, build_zero_pad, true},
    {"ZeroPad2d", {"padding"}, build_zero_pad, true},
    {"ZeroPad3d", {"padding"}, build_zero_pad, true},
    {"ConstantPad1d", {"padding", "value"}, build_constant_pad, true},
    {"ConstantPad2d", {"padding", "value"}, build_constant_pad, true},
    {"ConstantPad3d", {"padding", "value"}, build_constant_pad, true},
    {"ReflectionPad1d", {"padding"}, build_reflection_pad, true},
    {"ReflectionPad2d", {"padding"}, build_reflection_pad, true},
    {"ReflectionPad3d", {"padding"}, build_reflection_pad, true},
    {"ReplicationPad1d", {"padding"}, build_replication_pad, true},
    {"ReplicationPad2d", {"padding"}, build_replication_pad, true},
    {"ReplicationPad3d", {"padding"}, build_replication_pad, true},
    {"CircularPad1d", {"padding"}, build_circular_pad, true},
    {"CircularPad2d", {"padding"}, build_circular_pad, true},
    {"CircularPad3d", {"padding"}, build_circular_pad, true},
};

}  // namespace

std::span<const LayerKind> pad_layers() {
  return rows;
}

}  // namespace gradloom
