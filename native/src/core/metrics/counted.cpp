// Metrics that follow from counts of right and wrong decisions.
#include <ATen/ATen.h>

#include "core/metrics/decisions.h"
#include "core/metrics/families.h"

namespace gradloom {

namespace {

/// The share of right decisions, all in one pot.
class Accuracy final : public MeanMetric {
 public:
  explicit Accuracy(const Args& args) : decisions_(args) {}

  const MeanMetric* per_step() const override { return this; }

  Share part(const Answer& answer) const override {
    const auto [decided, target, valid, label] = decisions_.read(answer);
    return {decided.eq(target).logical_and_(valid).sum(at::kFloat), valid.sum(at::kFloat)};
  }

 private:
  Decisions decisions_;
};

}  // namespace

std::unique_ptr<Metric> build_accuracy(const Args& args) {
  return std::make_unique<Accuracy>(args);
}

}  // namespace gradloom
