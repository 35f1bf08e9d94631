// Metrics that rank scores: the areas under the ROC curve and under precision over recall, exact at every threshold.
#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "core/metrics/families.h"

namespace gradloom {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Counts at each distinct score, from the highest down: positives and negatives that score at least that.
struct Curve {
  std::vector<double> tps;
  std::vector<double> fps;
};

Curve curve_of(const at::Tensor& scores, const at::Tensor& positive) {
  const auto [sorted, order] = scores.sort(/*dim=*/0, /*descending=*/true);
  const at::Tensor hits = positive.index_select(0, order).contiguous();
  const float* const value = sorted.const_data_ptr<float>();
  const bool* const hit = hits.const_data_ptr<bool>();
  Curve curve;
  double tp = 0;
  for (int64_t i = 0, count = sorted.numel(); i < count; ++i) {
    tp += hit[i] ? 1 : 0;
    if (i + 1 < count && value[i + 1] == value[i]) continue;
    curve.tps.push_back(tp);
    curve.fps.push_back(static_cast<double>(i + 1) - tp);
  }
  return curve;
}

/// Trapezoids under the true positive rate over the false positive rate; 0 where there are no positives or no
/// negatives, as torchmetrics has it.
double roc_area(const Curve& curve, bool) {
  const double positives = curve.tps.back(), negatives = curve.fps.back();
  if (positives == 0 || negatives == 0) return 0;
  double area = 0, tp = 0, fp = 0;
  for (size_t i = 0; i < curve.tps.size(); ++i) {
    area += (curve.fps[i] - fp) * (curve.tps[i] + tp) / 2;
    tp = curve.tps[i];
    fp = curve.fps[i];
  }
  return area / positives / negatives;
}

/// Precision at each threshold, weighted by the recall that it adds. Without positives it is not defined, but 0 where
/// torchmetrics takes the recall as 1: where every target is 0.
double average_precision(const Curve& curve, bool all_zero) {
  const double positives = curve.tps.back();
  if (positives == 0) return all_zero ? 0 : kNothing;
  double sum = 0, tp = 0;
  for (size_t i = 0; i < curve.tps.size(); ++i) {
    sum += (curve.tps[i] - tp) / positives * (curve.tps[i] / (curve.tps[i] + curve.fps[i]));
    tp = curve.tps[i];
  }
  return sum;
}

using Area = double (*)(const Curve&, bool all_zero);

/// Keeps the probabilities of a split, to rank them at its end.
class Ranked final : public Metric {
 public:
  Ranked(const Args& args, Area area)
      : labels_(args.string("task") == "multilabel"),
        classes_(args.integer("classes")),
        ignore_index_(args.absent("ignore_index") ? std::nullopt : std::optional(args.integer("ignore_index"))),
        average_(args.string("average")),
        area_(area) {}

  void reset() override {
    scores_.clear();
    targets_.clear();
  }

  void update(const Answer& answer) override {
    const at::Tensor scores = answer.loss.probabilities(answer.output).to(at::kFloat);
    scores_.push_back(scores.transpose(0, 1).reshape({classes_, -1}).t());
    const at::Tensor& target = answer.target;
    targets_.push_back(
        labels_ ? target.reshape({scores.size(0), classes_, -1}).transpose(0, 1).reshape({classes_, -1}).t()
                : target.flatten());
  }

  double compute() const override {
    if (scores_.empty()) return kNothing;
    const at::Tensor scores = at::cat(scores_).cpu();
    const at::Tensor targets = at::cat(targets_).cpu();
    if (scores.isnan().any().item<bool>()) return kNothing;
    return labels_ ? of_labels(scores, targets) : of_classes(scores, targets);
  }

 private:
  double of_classes(const at::Tensor& all_scores, const at::Tensor& all_targets) const {
    at::Tensor valid = all_targets.ge(0).logical_and_(all_targets.lt(classes_));
    if (ignore_index_) valid.logical_and_(all_targets.ne(*ignore_index_));
    const at::Tensor kept = valid.nonzero().flatten();
    const at::Tensor scores = all_scores.index_select(0, kept), targets = all_targets.index_select(0, kept);
    if (targets.numel() == 0) return kNothing;
    const bool all_zero = targets.eq(0).all().item<bool>();
    std::vector<double> values, weights;
    for (int64_t i = 0; i < classes_; ++i) {
      const at::Tensor positive = targets.eq(i);
      values.push_back(area_(curve_of(scores.select(1, i).contiguous(), positive), all_zero));
      weights.push_back(positive.sum().item<double>());
    }
    return reduce(values, weights);
  }

  double of_labels(const at::Tensor& scores, const at::Tensor& targets) const {
    if (average_ == "micro") return of_label(scores.flatten(), targets.flatten());
    std::vector<double> values, weights;
    for (int64_t i = 0; i < classes_; ++i) {
      values.push_back(of_label(scores.select(1, i), targets.select(1, i)));
      weights.push_back(targets.select(1, i).eq(1).sum().item<double>());
    }
    return reduce(values, weights);
  }

  double of_label(const at::Tensor& scores, const at::Tensor& targets) const {
    at::Tensor valid = targets.eq(0).logical_or_(targets.eq(1));
    if (ignore_index_) valid.logical_and_(targets.ne(*ignore_index_));
    const at::Tensor kept = valid.nonzero().flatten();
    if (kept.numel() == 0) return kNothing;
    const at::Tensor positive = targets.index_select(0, kept).eq(1);
    return area_(curve_of(scores.index_select(0, kept), positive), !positive.any().item<bool>());
  }

  /// Over the classes that have a value.
  double reduce(const std::vector<double>& values, const std::vector<double>& weights) const {
    double sum = 0, all = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) continue;
      const double weight = average_ == "weighted" ? weights[i] : 1;
      sum += weight * values[i];
      all += weight;
    }
    return all == 0 ? (average_ == "weighted" ? 0 : kNothing) : sum / all;
  }

  bool labels_;
  int64_t classes_;
  std::optional<int64_t> ignore_index_;
  std::string average_;
  Area area_;
  std::vector<at::Tensor> scores_;   // [samples, classes]
  std::vector<at::Tensor> targets_;  // [samples], of labels [samples, labels]
};

}  // namespace

std::unique_ptr<Metric> build_auroc(const Args& args) {
  return std::make_unique<Ranked>(args, roc_area);
}

std::unique_ptr<Metric> build_average_precision(const Args& args) {
  return std::make_unique<Ranked>(args, average_precision);
}

}  // namespace gradloom
