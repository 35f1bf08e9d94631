// Flips and crops: whole rows and columns change their places.
#pragma once

#include "core/transforms/transform.h"

namespace gradloom {

/// Where each row and column of a sample comes from: a position in the stored sample, or, below zero, −1 − the
/// transform whose fill it holds. The later transform's fill covers an earlier one's.
struct Warp {
  std::vector<int32_t> rows;
  std::vector<int32_t> columns;

  /// Every row and column in its place.
  static Warp still(int64_t height, int64_t width);
};

class Move : public Transform {
 public:
  explicit Move(const std::vector<int64_t>& input);

  std::vector<int64_t> output(const std::vector<int64_t>& input) const override;
  at::Tensor apply(const at::Tensor& batch, std::span<const Drawn> drawn) const override;
  at::Tensor apply_masks(const at::Tensor& masks, std::span<const Drawn> drawn, double fill) const override;

  virtual void warp(Warp& warp, const Drawn& drawn) const = 0;

  /// What padding holds, before the transforms that follow.
  virtual float fill() const { return 0; }

 protected:
  int64_t height_;
  int64_t width_;

 private:
  at::Tensor moved(const at::Tensor& images, std::span<const Drawn> drawn, double fill) const;
};

}  // namespace gradloom
