// Rewrites of a list of layers before it is built, with equal results for less work.
#pragma once

#include <vector>

#include "core/plan.h"

namespace gradloom {

/// What a layer has become part of.
enum class Role {
  plain,
  pool_with_relu,  // a MaxPool2d that applies the ReLU before it as well
  relu_done,       // that ReLU, now after the pooling: nothing is left to do
};

struct Placement {
  LayerPlan plan;
  Role role = Role::plain;
};

/// Runs a ReLU after the MaxPool2d that follows it, on a fraction of the elements. Values and gradients are equal: a window's maximum
/// is positive in both orders or in neither, its place is the same where it is, and no gradient passes where it is not.
std::vector<Placement> reorder(const std::vector<LayerPlan>& layers);

}  // namespace gradloom
