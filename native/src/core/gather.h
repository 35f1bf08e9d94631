// Copies samples from columns into batches, flipped, cropped and normalised where nothing else is to be done: the
// innermost loop of the loader, run on its own threads, without ATen operators.
#pragma once

#include <ATen/core/TensorBody.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/pack.h"
#include "core/transforms/chain.h"

namespace gradloom {

struct Gathered {
  at::Tensor input;
  at::Tensor target;
  float scale = 0;  // raw integers stand for what they are divided by this; 0: nothing is left to do
  std::shared_ptr<const ChainDraws> draws;  // of raw samples that are yet to be transformed
};

class Gatherer {
 public:
  /// With `finished` (for simple chains alone), inputs come scaled and transformed as float32, otherwise as stored. With
  /// `pin`, in memory from which a device copies by itself.
  Gatherer(const Chain& chain, bool finished, bool pin);

  /// From then on finished masks are moved by the warps of the inputs they lie over.
  void move_masks(double fill) { mask_fill_ = static_cast<int64_t>(fill); }

  /// The given rows of a part, in order. Targets are int64 class indices or float32 rows, whatever the file holds.
  /// `warps`: one a row, one for all of them, or none. `length`: of sequences only so many first tokens; 0: all.
  Gathered gather(const Part& part, std::span<const int64_t> rows, std::span<const Warp> warps = {},
                  int64_t length = 0) const;

 private:
  at::Tensor gather_input(const Column& column, std::span<const int64_t> rows, std::span<const Warp> warps,
                          int64_t length) const;
  at::Tensor gather_target(const Column& column, std::span<const int64_t> rows) const;
  at::Tensor moved(const at::Tensor& masks, std::span<const Warp> warps) const;
  at::Tensor empty(size_t rows, const std::vector<int64_t>& shape, at::ScalarType type) const;
  void finish(const Column& column, const std::byte* from, float* to) const;
  void finish(const Column& column, const std::byte* from, float* to, const Warp& warp) const;

  std::vector<int64_t> stored_;
  std::vector<int64_t> shape_;
  std::span<const Pointwise* const> transforms_;
  bool finished_;
  bool pin_;
  int64_t channels_;
  // What each byte becomes, for each channel: as it is, and scaled to 0–1 first.
  std::array<std::vector<float>, 2> tables_;
  // What padding holds once the transforms after it are done, for each transform of the plan and channel.
  std::vector<float> fills_;
  std::optional<int64_t> mask_fill_;
};

}  // namespace gradloom
