// Metrics of numbers and of sequences: mean absolute and squared error, R², perplexity.
#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "core/metrics/families.h"

namespace gradloom {

namespace {

/// A scalar float32 that knows how many values went into a sum.
at::Tensor count_of(const at::Tensor& values) {
  return at::scalar_tensor(values.numel(), values.options().dtype(at::kFloat));
}

at::Tensor difference(const Answer& answer) {
  const at::Tensor prediction = answer.loss.prediction(answer.output).to(at::kFloat);
  return prediction - answer.target.reshape(prediction.sizes()).to(at::kFloat);
}

class AbsoluteError final : public MeanMetric {
 public:
  const MeanMetric* per_step() const override { return this; }
  Share part(const Answer& answer) const override {
    const at::Tensor off = difference(answer);
    return {off.abs().sum(), count_of(off)};
  }
};

class SquaredError final : public MeanMetric {
 public:
  explicit SquaredError(const Args& args) : squared_(args.flag("squared")) {}

  /// The root of a mean is no mean of roots.
  const MeanMetric* per_step() const override { return squared_ ? this : nullptr; }
  Share part(const Answer& answer) const override {
    const at::Tensor off = difference(answer);
    return {off.square().sum(), count_of(off)};
  }

 protected:
  double finish(double mean) const override { return squared_ ? mean : std::sqrt(mean); }

 private:
  bool squared_;
};

/// exp of the mean negative logarithm of the probability of what was there.
class Perplexity final : public MeanMetric {
 public:
  explicit Perplexity(const Args& args)
      : ignore_index_(args.absent("ignore_index") ? std::nullopt : std::optional(args.integer("ignore_index"))) {}

  Share part(const Answer& answer) const override {
    at::Tensor valid = answer.target.ge(0);
    if (ignore_index_) valid.logical_and_(answer.target.ne(*ignore_index_));
    const at::Tensor there = at::where(valid, answer.target, 0).unsqueeze(1);
    const at::Tensor logs = answer.output.to(at::kFloat).log_softmax(1).gather(1, there).squeeze(1);
    return {at::where(valid, logs, 0).sum().neg(), valid.sum(at::kFloat)};
  }

 protected:
  double finish(double mean) const override { return std::exp(mean); }

 private:
  std::optional<int64_t> ignore_index_;
};

/// Sums are of targets less the first one, which leaves the value as it is and keeps float32 from losing small
/// variances around large means.
class R2Score final : public Metric {
 public:
  explicit R2Score(const Args& args)
      : adjusted_(args.integer("adjusted")), multioutput_(args.string("multioutput")) {}

  void reset() override {
    origin_ = at::Tensor();
    sums_.clear();
    samples_ = 0;
  }

  void update(const Answer& answer) override {
    const at::Tensor target = answer.target.to(at::kFloat).flatten(1);
    const at::Tensor off = difference(answer).flatten(1);
    if (!origin_.defined()) origin_ = target.select(0, 0).clone();
    const at::Tensor moved = target - origin_;
    sums_.push_back(at::stack({moved.sum(0), moved.square().sum(0), off.square().sum(0)}));
    samples_ += target.size(0);
  }

  double compute() const override {
    if (samples_ < 2) return std::numeric_limits<double>::quiet_NaN();
    const at::Tensor host = at::stack(sums_).cpu().to(at::kDouble).sum(0);
    const auto sums = host.accessor<double, 2>();
    const auto count = static_cast<double>(samples_);
    double score = 0, weights = 0;
    for (int64_t i = 0; i < host.size(1); ++i) {
      const double total = sums[1][i] - sums[0][i] * sums[0][i] / count;
      const double weight = multioutput_ == "variance_weighted" ? total : 1;
      score += weight * score_of(sums[2][i], total);
      weights += weight;
    }
    return adjust(score / weights, count);
  }

 private:
  /// Targets that hardly vary are torchmetrics' special cases.
  static double score_of(double residual, double total) {
    constexpr double nearly = 1e-4;
    if (std::abs(residual) <= nearly) return 1;
    return std::abs(total) <= nearly ? 0 : 1 - residual / total;
  }

  double adjust(double score, double count) const {
    const auto regressors = static_cast<double>(adjusted_);
    if (adjusted_ == 0 || regressors >= count - 1) return score;
    return 1 - (1 - score) * (count - 1) / (count - regressors - 1);
  }

  int64_t adjusted_;
  std::string multioutput_;
  at::Tensor origin_;
  std::vector<at::Tensor> sums_;  // [target, squared target, squared error] by output
  int64_t samples_ = 0;
};

}  // namespace

std::unique_ptr<Metric> build_mean_absolute_error(const Args&) {
  return std::make_unique<AbsoluteError>();
}

std::unique_ptr<Metric> build_mean_squared_error(const Args& args) {
  return std::make_unique<SquaredError>(args);
}

std::unique_ptr<Metric> build_r2_score(const Args& args) {
  return std::make_unique<R2Score>(args);
}

std::unique_ptr<Metric> build_perplexity(const Args& args) {
  return std::make_unique<Perplexity>(args);
}

}  // namespace gradloom
