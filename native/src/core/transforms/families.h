// The families of transforms whose rows the table joins, and what their files share.
#pragma once

#include "core/transforms/transform.h"

namespace gradloom {

std::span<const TransformKind> value_transforms();
std::span<const TransformKind> move_transforms();
std::span<const TransformKind> resize_transforms();
std::span<const TransformKind> turn_transforms();
std::span<const TransformKind> colour_transforms();
std::span<const TransformKind> erase_transforms();
std::span<const TransformKind> policy_transforms();

template <typename T>
std::unique_ptr<Transform> build(const Args& args, const std::vector<int64_t>& input, c10::Device device) {
  return std::make_unique<T>(args, input, device);
}

/// What evaluation sees of a transform that is for training alone.
inline Drawn left_out() {
  return {.applies = false, .numbers = {}, .values = {}};
}

}  // namespace gradloom
