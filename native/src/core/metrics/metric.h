// Metrics over a whole split, by torchmetrics' definitions, and their table: one row a kind.
#pragma once

#include <ATen/core/TensorBody.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/losses/loss.h"
#include "core/names.h"
#include "core/plan.h"

namespace gradloom {

/// A batch as metrics see it: the network's output as losses take it (classes or labels second), and its targets.
struct Answer {
  at::Tensor output;
  at::Tensor target;
  const Loss& loss;
};

/// Part of a mean: float32 scalars on the device.
struct Share {
  at::Tensor sum;
  at::Tensor count;
};

class MeanMetric;

/// Adds up batch by batch, on the device and without waiting for it; read once, at the end.
class Metric {
 public:
  Metric() = default;
  virtual ~Metric() = default;
  Metric(const Metric&) = delete;
  Metric& operator=(const Metric&) = delete;

  virtual void reset() = 0;
  virtual void update(const Answer& answer) = 0;
  /// Over all batches since `reset`; NaN where there is nothing to measure.
  virtual double compute() const = 0;

  /// Itself, where training measures it at each step: a plain mean.
  virtual const MeanMetric* per_step() const { return nullptr; }
};

/// A mean over samples, positions or values, or a function of one. Summed on the host in double, batch after batch, so
/// that the result does not depend on float32's reach.
class MeanMetric : public Metric {
 public:
  void reset() override;
  void update(const Answer& answer) override;
  double compute() const override;

  /// A batch's part of the mean.
  virtual Share part(const Answer& answer) const = 0;

 protected:
  virtual double finish(double mean) const { return mean; }

 private:
  std::vector<at::Tensor> sums_, counts_;
};

/// Summed on the host in double, in order.
double total(const std::vector<at::Tensor>& scalars);

struct MetricKind {
  std::string_view kind;
  Names arguments;
  std::unique_ptr<Metric> (*build)(const Args&);
};

std::span<const MetricKind> metric_kinds();

/// Throws NOT_SUPPORTED for a kind without a row.
std::unique_ptr<Metric> build_metric(const MetricPlan& plan);

}  // namespace gradloom
