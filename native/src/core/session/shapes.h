// The check of a first batch against the plan: every layer's output must have the planned shape.
#pragma once

#include "core/model/layer.h"

namespace gradloom {

/// Throws SHAPE_MISMATCH with the layer's path, the planned and the found dims.
class ShapeCheck final : public Observer {
 public:
  at::Tensor run(const Node& node, const at::Tensor& input, const Pass& pass) override;
};

}  // namespace gradloom
