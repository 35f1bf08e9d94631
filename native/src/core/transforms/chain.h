// The plan's transforms, one after the other: what they draw for samples, and batches that go through them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/transforms/moves.h"
#include "core/transforms/transform.h"

namespace gradloom {

/// Dims of a sample in its file, which transforms may change.
std::vector<int64_t> stored_shape(const Plan& plan);

/// Class of the pixels of masks that come from outside of the image: the one that the loss is told to ignore, else 0.
double mask_fill(const Plan& plan);

/// Stored numbers that travel as they are (16-bit ones as signed) as floats, on their device.
at::Tensor as_floats(const at::Tensor& stored, float scale);

/// What the transforms of a chain drew for the samples of a batch.
struct ChainDraws {
  std::vector<std::vector<Drawn>> of;  // by transform, then by sample

  bool empty() const { return of.empty(); }
  size_t samples() const { return of.empty() ? 0 : of.front().size(); }
};

class Chain {
 public:
  /// `input`: dims of a sample in its file; `device`: where batches are.
  Chain(const std::vector<KindPlan>& transforms, std::vector<int64_t> input, c10::Device device, uint64_t seed);

  bool empty() const { return transforms_.empty(); }
  const std::vector<int64_t>& input() const { return input_; }
  const std::vector<int64_t>& output() const { return output_; }

  /// Of training samples (positions in their split) in an epoch: functions of seed, epoch and position alone.
  ChainDraws train(int64_t epoch, std::span<const int64_t> samples) const;
  /// Of samples elsewhere.
  ChainDraws fixed(int64_t count) const;

  /// A batch of floats, which is changed. The calling thread's own work alone: results do not depend on how many
  /// threads there are.
  at::Tensor apply(at::Tensor batch, const ChainDraws& draws) const;
  /// Class indices [n, H, W].
  at::Tensor apply_masks(const at::Tensor& masks, const ChainDraws& draws, double fill) const;

  // The fast way for chains of nothing but flips, crops and what changes each value by itself: values from a table,
  // pixels from their places.

  bool simple() const { return moves_.size() + pointwise_.size() == transforms_.size(); }
  bool moves() const { return !moves_.empty(); }
  std::span<const Pointwise* const> pointwise() const { return pointwise_; }
  std::vector<Warp> warps(const ChainDraws& draws) const;

  struct Fill {
    int32_t index;  // of the transform in the plan
    float value;
  };
  std::vector<Fill> fills() const;

 private:
  std::vector<int64_t> input_;
  std::vector<int64_t> output_;
  uint64_t seed_;
  std::vector<std::unique_ptr<Transform>> transforms_;
  std::vector<const Pointwise*> pointwise_;
  std::vector<const Move*> moves_;
};

}  // namespace gradloom
