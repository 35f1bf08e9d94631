// Rewrites of a list of layers before it is built, with equal results for less work.
#pragma once

#include <vector>

#include "core/plan.h"

namespace gradloom {

/// Runs a ReLU after the MaxPool2d that follows it, on a fraction of the elements. Values and gradients are equal: a window's maximum
/// is positive in both orders or in neither, its place is the same where it is, and no gradient passes where it is not.
std::vector<LayerPlan> reorder(std::vector<LayerPlan> layers);

}  // namespace gradloom
