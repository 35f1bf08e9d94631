// Copies samples from mapped columns into batches: the innermost loop of the loader, run on its own threads, without
// ATen operators.
#pragma once

#include <ATen/core/TensorBody.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/geometry.h"
#include "core/pack.h"
#include "core/transforms.h"

namespace gradloom {

struct Gathered {
  at::Tensor input;
  at::Tensor target;
  float scale = 0;  // raw integers stand for what they are divided by this; 0: nothing is left to do
};

class Gatherer {
 public:
  /// `shape` is one sample's. With `finished`, inputs come scaled and transformed as float32, otherwise as stored. With
  /// `pin`, in memory from which a device copies by itself.
  Gatherer(std::vector<int64_t> shape, std::span<const std::unique_ptr<Transform>> transforms, bool finished, bool pin);

  /// From then on finished inputs are moved by warps; `shape` is what these make of the `stored` one.
  void move_pixels(std::vector<int64_t> stored, const Augmentation& augmentation);

  /// The given rows of a part, in order. Targets are int64 class indices or float32 rows, whatever the file holds.
  /// `warps`: one a row, one for all of them, or none. `length`: of sequences only so many first tokens; 0: all.
  Gathered gather(const Part& part, std::span<const int64_t> rows, std::span<const Warp> warps = {},
                  int64_t length = 0) const;

 private:
  at::Tensor gather_input(const Column& column, std::span<const int64_t> rows, std::span<const Warp> warps,
                          int64_t length) const;
  at::Tensor gather_target(const Column& column, std::span<const int64_t> rows) const;
  at::Tensor empty(size_t rows, const std::vector<int64_t>& shape, at::ScalarType type) const;
  void finish(const Column& column, const std::byte* from, float* to) const;
  void finish(const Column& column, const std::byte* from, float* to, const Warp& warp) const;

  std::vector<int64_t> shape_;
  std::span<const std::unique_ptr<Transform>> transforms_;
  bool finished_;
  bool pin_;
  int64_t channels_;
  // What each byte becomes, for each channel: as it is, and scaled to 0–1 first.
  std::array<std::vector<float>, 2> tables_;
  std::vector<int64_t> stored_;
  // What padding holds once the transforms after it are done, for each transform of the plan and channel.
  std::vector<float> fills_;
};

}  // namespace gradloom
