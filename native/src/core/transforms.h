// The table of transforms: one row a kind, applied to input samples on the host, value by value, or to whole batches on
// a device.
#pragma once

#include <ATen/core/TensorBody.h>
#include <c10/core/Device.h>

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/plan.h"

namespace gradloom {

/// Both ways do the same float32 operations in the same order, so that their results are equal to the bit.
class Transform {
 public:
  virtual ~Transform() = default;

  int32_t index = 0;  // its place in the plan

  /// In place, values of one channel.
  virtual void apply(float* values, int64_t count, int64_t channel) const = 0;

  /// A batch [n, …]; may work in place.
  virtual at::Tensor apply(const at::Tensor& batch) const = 0;
};

struct TransformKind {
  std::string_view kind;
  std::span<const std::string_view> arguments;
  /// `shape` is one sample's; `device` is where batches are transformed.
  std::unique_ptr<Transform> (*build)(const Args& args, const std::vector<int64_t>& shape, c10::Device device);
};

std::span<const TransformKind> transform_kinds();

/// Those that change values; those that move pixels are an Augmentation's. Throws NOT_SUPPORTED for a kind without a row.
std::vector<std::unique_ptr<Transform>> build_transforms(const std::vector<KindPlan>& plan,
                                                         const std::vector<int64_t>& shape, c10::Device device);

}  // namespace gradloom
