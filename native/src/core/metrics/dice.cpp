// The Dice score of masks: how far decided and true regions overlap.
#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "core/metrics/decisions.h"
#include "core/metrics/families.h"

namespace gradloom {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Positions of one class in one sample, or in all.
struct Overlap {
  double both = 0;
  double decided = 0;
  double actual = 0;

  double score() const { return decided + actual == 0 ? kNothing : 2 * both / (decided + actual); }
};

/// The mean of what is a number.
class Mean {
 public:
  void add(double value) {
    if (std::isnan(value)) return;
    sum_ += value;
    count_ += 1;
  }
  double value() const { return count_ == 0 ? kNothing : sum_ / count_; }

 private:
  double sum_ = 0;
  double count_ = 0;
};

class DiceScore final : public Metric {
 public:
  explicit DiceScore(const Args& args)
      : decisions_(args),
        classes_(decisions_.labels() ? 2 : decisions_.classes()),  // one score a position tells two classes apart
        background_(args.flag("include_background")),
        average_(args.string("average")),
        samplewise_(args.string("aggregation_level") == "samplewise") {}

  void reset() override { counts_.clear(); }

  void update(const Answer& answer) override {
    const auto [decided, target, valid, label] = decisions_.read(answer);
    const int64_t samples = answer.output.size(0);
    at::Tensor counts = at::zeros({3, samples * classes_}, decided.options());
    const at::Tensor sample = at::arange(samples, decided.options())
                                  .mul_(classes_)
                                  .unsqueeze(1)
                                  .expand({samples, decided.numel() / samples})
                                  .reshape(-1);
    at::Tensor both = counts.select(0, 0), positive = counts.select(0, 1), actual = counts.select(0, 2);
    count_into(both, sample + target, valid.logical_and(decided.eq(target)));
    count_into(positive, sample + decided, valid);
    count_into(actual, sample + target, valid);
    const at::Tensor by_class = counts.view({3, samples, classes_});
    counts_.push_back(samplewise_ ? by_class : by_class.sum(1, /*keepdim=*/true));
  }

  double compute() const override {
    if (counts_.empty()) return kNothing;
    at::Tensor host = at::cat(counts_, 1).cpu();
    if (!samplewise_) host = host.sum(1, /*keepdim=*/true);
    const auto counts = host.accessor<int64_t, 3>();
    Mean mean;
    for (int64_t sample = 0; sample < host.size(1); ++sample) {
      std::vector<Overlap> classes;
      for (int64_t i = background_ ? 0 : 1; i < classes_; ++i) {
        classes.push_back({static_cast<double>(counts[0][sample][i]), static_cast<double>(counts[1][sample][i]),
                           static_cast<double>(counts[2][sample][i])});
      }
      mean.add(average(classes));
    }
    return mean.value();
  }

 private:
  double average(const std::vector<Overlap>& classes) const {
    Overlap all;
    for (const Overlap& of : classes) {
      all.both += of.both;
      all.decided += of.decided;
      all.actual += of.actual;
    }
    if (average_ == "micro") return all.score();
    Mean mean;
    double weighted = 0;
    for (const Overlap& of : classes) {
      mean.add(of.score());
      if (!std::isnan(of.score()) && all.actual > 0) weighted += of.score() * of.actual / all.actual;
    }
    return average_ == "macro" || std::isnan(mean.value()) ? mean.value() : weighted;
  }

  Decisions decisions_;
  int64_t classes_;
  bool background_;
  std::string average_;
  bool samplewise_;
  std::vector<at::Tensor> counts_;  // int64 [both, decided, true] by sample and class
};

}  // namespace

std::unique_ptr<Metric> build_dice_score(const Args& args) {
  return std::make_unique<DiceScore>(args);
}

}  // namespace gradloom
