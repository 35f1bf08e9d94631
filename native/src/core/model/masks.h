// Which positions of the sequences are padding: masks that travel beside the tensors of one pass.
#pragma once

#include <ATen/core/TensorBody.h>

#include <map>
#include <optional>
#include <string>

#include "core/plan.h"

namespace gradloom {

struct Pass;

/// By the path of the layer that tells: samples × positions, true where there is padding.
using Masks = std::map<std::string, at::Tensor>;

/// A layer's view of the mask that its argument `mask` names, if it names any.
class Padding {
 public:
  explicit Padding(const Args& args);

  bool known() const { return path_.has_value(); }

  /// Only where it is known.
  const at::Tensor& in(const Pass& pass) const;

  /// Positions of each sample up to the last that is no padding; padding before it counts.
  at::Tensor lengths(const Pass& pass) const;

 private:
  std::optional<std::string> path_;
};

}  // namespace gradloom
