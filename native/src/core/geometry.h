// Transforms that move pixels: flips and crops, as torchvision's, one sample at a time and without ATen operators.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/names.h"
#include "core/plan.h"

namespace gradloom {

/// Numbers of one sample in one epoch: those of torch's CPU generator after manual_seed(stream_seed(…)).
class Draws;

/// Where each row and column of a sample comes from: a position in the stored sample, or, below zero, −1 − the
/// transform whose fill it holds. The later transform's fill covers an earlier one's.
struct Warp {
  std::vector<int32_t> rows;
  std::vector<int32_t> columns;
};

class Geometry {
 public:
  virtual ~Geometry() = default;

  /// `index` is the transform's place in the plan. Without draws: as evaluation sees it.
  virtual void apply(Warp& warp, Draws* draws, int32_t index) const = 0;

  /// What padding holds, before the transforms that follow.
  virtual float fill() const { return 0; }
};

struct GeometryKind {
  std::string_view kind;
  Names arguments;
  std::unique_ptr<Geometry> (*build)(const Args&);
};

std::span<const GeometryKind> geometry_kinds();

/// Dims of a sample in its file: the plan's input, unless transforms move pixels.
std::vector<int64_t> stored_shape(const Plan& plan);

/// The plan's transforms of this kind, in order.
class Augmentation {
 public:
  /// `stored` are a sample's dims in its file.
  Augmentation(const std::vector<KindPlan>& transforms, std::vector<int64_t> stored, uint64_t seed);

  bool empty() const { return steps_.empty(); }

  /// Of sample `index` of the training split in an epoch: a function of these and the seed alone.
  Warp train(int64_t epoch, int64_t index) const;
  /// Of every other sample.
  Warp fixed() const;

  struct Fill {
    int32_t index;  // of the transform in the plan
    float value;
  };
  std::vector<Fill> fills() const;

 private:
  struct Step {
    int32_t index;
    std::unique_ptr<Geometry> geometry;
  };

  Warp warp(Draws* draws) const;

  std::vector<Step> steps_;
  std::vector<int64_t> stored_;
  uint64_t seed_;
};

}  // namespace gradloom
