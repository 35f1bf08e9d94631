// The metrics and their table. To add one: a function and a row here, and its row in engine/contract/metrics.ts.
#include <ATen/ATen.h>

#include "core/errors.h"
#include "core/metrics/metric.h"

namespace gradloom {

namespace {

at::Tensor accuracy(const at::Tensor& output, const at::Tensor& target) {
  return output.argmax(1).eq(target).sum(at::kFloat);
}

constexpr MetricKind kinds[] = {
    {"accuracy", accuracy},
};

}  // namespace

std::span<const MetricKind> metric_kinds() {
  return kinds;
}

const MetricKind& metric_kind(const std::string& name) {
  for (const MetricKind& row : kinds) {
    if (row.name == name) return row;
  }
  throw Error("NOT_SUPPORTED", "The engine has no metric " + name + ".", "Update Gradloom, or use another metric.",
              "training.metrics");
}

}  // namespace gradloom
