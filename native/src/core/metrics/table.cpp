// The metrics' table. To add one: a class in its family's file, a row here, and its row in
// engine/contract/metric-kinds.ts.
#include <ATen/ATen.h>

#include <limits>

#include "core/errors.h"
#include "core/metrics/families.h"

namespace gradloom {

double total(const std::vector<at::Tensor>& scalars) {
  const at::Tensor host = at::stack(scalars).cpu().to(at::kDouble);
  const auto values = host.accessor<double, 1>();
  double sum = 0;
  for (int64_t i = 0; i < host.size(0); ++i) sum += values[i];
  return sum;
}

void MeanMetric::reset() {
  sums_.clear();
  counts_.clear();
}

void MeanMetric::update(const Answer& answer) {
  const Share batch = part(answer);
  sums_.push_back(batch.sum);
  counts_.push_back(batch.count);
}

double MeanMetric::compute() const {
  if (sums_.empty()) return std::numeric_limits<double>::quiet_NaN();
  return finish(total(sums_) / total(counts_));
}

namespace {

constexpr MetricKind kinds[] = {
    {"accuracy", {"task", "classes", "threshold", "average", "top_k", "ignore_index"}, build_accuracy},
};

}  // namespace

std::span<const MetricKind> metric_kinds() {
  return kinds;
}

std::unique_ptr<Metric> build_metric(const MetricPlan& plan) {
  for (const MetricKind& row : kinds) {
    if (row.kind == plan.kind) return row.build(plan.args);
  }
  throw Error("NOT_SUPPORTED", "The engine has no metric " + plan.kind + ".", "Update Gradloom, or use another metric.",
              "training.metrics");
}

}  // namespace gradloom
