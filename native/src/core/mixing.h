// MixUp and CutMix of training batches, as torchvision.transforms.v2's.
#pragma once

#include <optional>

#include "core/loader.h"
#include "core/plan.h"

namespace gradloom {

class Mixing {
 public:
  explicit Mixing(const Plan& plan);

  /// Mixes each sample with the one before it; the target becomes probabilities [n, classes]. Without either setting
  /// the batch stays as it is. What is drawn depends on seed, epoch and the batch's index alone.
  void apply(Batch& batch, int64_t epoch, int64_t index) const;

 private:
  uint64_t seed_;
  std::optional<double> mixup_;   // alpha
  std::optional<double> cutmix_;  // alpha
  int64_t classes_;
};

}  // namespace gradloom
