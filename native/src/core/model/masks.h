// Which positions of the sequences are padding: masks that travel beside the tensors of one pass.
#pragma once

#include <ATen/core/TensorBody.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/plan.h"

namespace gradloom {

struct Pass;

/// A batch's samples, the longest first, for layers that compute no padding.
struct Packing {
  at::Tensor lengths;  // on the CPU
  at::Tensor order;    // on the device, as the next
  at::Tensor back;
};

/// A mask, and what layers make of it, found the first time that one asks.
class Mask {
 public:
  explicit Mask(at::Tensor padding) : padding_(std::move(padding)) {}

  /// Samples × positions, true where there is padding.
  const at::Tensor& padding() const { return padding_; }

  /// Positions of each sample up to the last that is no padding; padding before it counts.
  const at::Tensor& lengths();

  /// Waits for the device the first time: what follows is shaped by the lengths.
  const Packing& packing();

 private:
  at::Tensor padding_;
  at::Tensor lengths_;
  std::optional<Packing> packing_;
};

/// By the path of the layer that tells.
using Masks = std::map<std::string, Mask>;

/// A layer tells which positions are padding; where a segment is computed again it has been told.
void tell_padding(const Pass& pass, const std::string& path, const at::Tensor& padding);

/// A layer's view of the mask that its argument `mask` names, if it names any.
class Padding {
 public:
  explicit Padding(const Args& args);

  bool known() const { return path_.has_value(); }

  /// Only where it is known.
  Mask& in(const Pass& pass) const;

 private:
  std::optional<std::string> path_;
};

}  // namespace gradloom
