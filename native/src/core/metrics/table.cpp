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
    {"precision",
     {"task", "classes", "threshold", "average", "top_k", "ignore_index", "zero_division"},
     build_precision},
    {"recall", {"task", "classes", "threshold", "average", "top_k", "ignore_index", "zero_division"}, build_recall},
    {"f1_score", {"task", "classes", "threshold", "average", "top_k", "ignore_index", "zero_division"}, build_f1_score},
    {"auroc", {"task", "classes", "average", "ignore_index"}, build_auroc},
    {"average_precision", {"task", "classes", "average", "ignore_index"}, build_average_precision},
    {"jaccard_index",
     {"task", "classes", "threshold", "average", "ignore_index", "zero_division"},
     build_jaccard_index},
    {"dice_score",
     {"task", "classes", "ignore_index", "include_background", "average", "aggregation_level"},
     build_dice_score},
    {"mean_absolute_error", {}, build_mean_absolute_error},
    {"mean_squared_error", {"squared"}, build_mean_squared_error},
    {"r2_score", {"adjusted", "multioutput"}, build_r2_score},
    {"perplexity", {"ignore_index"}, build_perplexity},
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
