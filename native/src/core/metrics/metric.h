// Metrics and their table: one row a name of torchmetrics.
#pragma once

#include <ATen/core/TensorBody.h>

#include <span>
#include <string>
#include <string_view>

namespace gradloom {

struct MetricKind {
  std::string_view name;
  /// The metric summed over a batch's samples: a float32 scalar on the device. Divided by the samples it is the metric.
  at::Tensor (*sum)(const at::Tensor& output, const at::Tensor& target);
};

std::span<const MetricKind> metric_kinds();

/// Throws NOT_SUPPORTED for a name without a row.
const MetricKind& metric_kind(const std::string& name);

}  // namespace gradloom
