// What a network decided: one class among many, or a yes or no for each label.
#pragma once

#include <ATen/core/TensorBody.h>

#include <optional>

#include "core/metrics/metric.h"

namespace gradloom {

/// How answers and targets are read; from a metric's arguments task, classes, ignore_index, top_k and threshold.
class Decisions {
 public:
  explicit Decisions(const Args& args);
  /// With torchmetrics' defaults.
  Decisions(bool labels, int64_t classes, std::optional<int64_t> ignore_index);

  /// Each element is a yes or no of its own.
  bool labels() const { return labels_; }
  int64_t classes() const { return classes_; }
  int64_t top_k() const { return top_k_; }

  /// Flat and of equal length. For classes: decided and true class indices, a target that counts for nothing as 0. For
  /// labels: zeros and ones, with each element's label.
  struct Read {
    at::Tensor decided;
    at::Tensor target;
    at::Tensor valid;
    at::Tensor label;  // undefined for classes
  };
  Read read(const Answer& answer) const;

 private:
  Read read_classes(const Answer& answer) const;
  Read read_labels(const Answer& answer) const;

  bool labels_;
  int64_t classes_;
  std::optional<int64_t> ignore_index_;
  int64_t top_k_ = 1;
  double threshold_ = 0.5;
};

/// Adds ones to an int64 vector at the places of `index` where `counted` is set.
void count_into(at::Tensor& counts, const at::Tensor& index, const at::Tensor& counted);

}  // namespace gradloom
