// Samples behind the transforms as a session would hand them to the network. Free of torch headers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan.h"

namespace gradloom {

struct SamplesRequest {
  std::vector<KindPlan> transforms;
  std::vector<int64_t> shape;    // of a sample before the transforms
  std::vector<float> values;     // of all samples, one after the other
  std::vector<int64_t> indices;  // of each in the split that it trains in
  std::optional<int64_t> epoch;  // as training sees them in it; absent: as evaluation does
  uint64_t seed = 0;
  std::vector<float> masks;  // class indices over each image; none: there are none
  double mask_fill = 0;
};

struct Samples {
  std::vector<int64_t> shape;
  std::vector<float> values;
  std::vector<float> masks;
};

Samples transform_samples(const SamplesRequest& request);

/// From the JSON text of the request without its values and masks. Throws BAD_CALL.
SamplesRequest parse_samples_request(const std::string& text);

}  // namespace gradloom
