// Numbers of transforms that are measured on the samples that train. Free of torch headers.
#pragma once

#include <vector>

#include "core/plan.h"

namespace gradloom {

struct Fitted {
  int64_t index = 0;  // of the Normalize in the plan
  std::vector<double> mean;
  std::vector<double> std;
};

/// Mean and deviation (of the population) of each channel of the split `train`, for every Normalize without them, as the
/// samples arrive there: behind the transforms before it as evaluation applies them. Values that are not finite do not
/// count; a channel of equal values gets the deviation 1.
std::vector<Fitted> fit_transforms(const Plan& plan);

}  // namespace gradloom
