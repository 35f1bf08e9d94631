// Metrics that follow from counts of right and wrong decisions: accuracy, precision, recall, F1, Jaccard index.
#include <ATen/ATen.h>

#include <limits>

#include "core/metrics/decisions.h"
#include "core/metrics/families.h"

namespace gradloom {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// The share of right decisions, all in one pot.
class MicroAccuracy final : public MeanMetric {
 public:
  explicit MicroAccuracy(const Args& args) : decisions_(args) {}

  const MeanMetric* per_step() const override { return this; }

  Share part(const Answer& answer) const override {
    const auto [decided, target, valid, label] = decisions_.read(answer);
    return {decided.eq(target).logical_and_(valid).sum(at::kFloat), valid.sum(at::kFloat)};
  }

 private:
  Decisions decisions_;
};

/// Of one class or label.
struct Outcomes {
  double tp = 0;
  double fp = 0;
  double fn = 0;
  double tn = 0;
};

using Score = double (*)(const Outcomes&, double zero_division);

double ratio(double numerator, double denominator, double zero_division = 0) {
  return denominator == 0 ? zero_division : numerator / denominator;
}

double recall_of(const Outcomes& of, double zero_division) {
  return ratio(of.tp, of.tp + of.fn, zero_division);
}
double precision_of(const Outcomes& of, double zero_division) {
  return ratio(of.tp, of.tp + of.fp, zero_division);
}
double f1_of(const Outcomes& of, double zero_division) {
  return ratio(2 * of.tp, 2 * of.tp + of.fn + of.fp, zero_division);
}
double jaccard_of(const Outcomes& of, double zero_division) {
  return ratio(of.tp, of.tp + of.fp + of.fn, zero_division);
}
double label_accuracy_of(const Outcomes& of, double) {
  return ratio(of.tp + of.tn, of.tp + of.tn + of.fp + of.fn);
}

/// Counts by class on the device; averaged as torchmetrics does.
class Counted : public Metric {
 public:
  Counted(const Args& args, Score score)
      : decisions_(args),
        average_(args.string("average")),
        score_(score),
        zero_division_(args.absent("zero_division") ? 0 : args.number("zero_division")),
        ignore_index_(args.absent("ignore_index") ? -1 : args.integer("ignore_index")) {}

  void reset() override { counts_ = at::Tensor(); }

  void update(const Answer& answer) override {
    const auto [decided, target, valid, label] = decisions_.read(answer);
    if (!counts_.defined()) counts_ = at::zeros({4, decisions_.classes()}, decided.options());
    at::Tensor right = counts_.select(0, 0), positive = counts_.select(0, 1), actual = counts_.select(0, 2);
    if (label.defined()) {
      at::Tensor all = counts_.select(0, 3);
      count_into(right, label, valid.logical_and(decided.eq(1)).logical_and_(target.eq(1)));
      count_into(positive, label, valid.logical_and(decided.eq(1)));
      count_into(actual, label, valid.logical_and(target.eq(1)));
      count_into(all, label, valid);
    } else {
      count_into(right, target, valid.logical_and(decided.eq(target)));
      count_into(positive, decided, valid);
      count_into(actual, target, valid);
    }
  }

  double compute() const override {
    if (!counts_.defined()) return kNothing;
    const at::Tensor host = counts_.cpu();
    const auto counts = host.accessor<int64_t, 2>();
    std::vector<Outcomes> classes;
    for (int64_t i = 0; i < host.size(1); ++i) {
      Outcomes of;
      of.tp = static_cast<double>(counts[0][i]);
      of.fp = static_cast<double>(counts[1][i]) - of.tp;
      of.fn = static_cast<double>(counts[2][i]) - of.tp;
      of.tn = decisions_.labels() ? static_cast<double>(counts[3][i]) - of.tp - of.fp - of.fn : 0;
      classes.push_back(of);
    }
    return average(classes);
  }

 protected:
  virtual double average(const std::vector<Outcomes>& classes) const {
    if (average_ == "micro") return score(pooled(classes));
    double sum = 0, weights = 0;
    for (const Outcomes& of : classes) {
      const double weight = average_ == "weighted" ? of.tp + of.fn : absent(of) ? 0 : 1;
      sum += weight * score(of);
      weights += weight;
    }
    return ratio(sum, weights);
  }

  /// A class that neither is nor is decided anywhere has no part in a macro average; a label always has.
  bool absent(const Outcomes& of) const {
    if (decisions_.labels()) return false;
    // With several decisions a sample torchmetrics asks for the class itself; but not for F1.
    const bool only_true = decisions_.top_k() > 1 && score_ != &f1_of;
    return only_true ? of.tp + of.fn == 0 : of.tp + of.fp + of.fn == 0;
  }

  static Outcomes pooled(const std::vector<Outcomes>& classes) {
    Outcomes sum;
    for (const Outcomes& of : classes) {
      sum.tp += of.tp;
      sum.fp += of.fp;
      sum.fn += of.fn;
      sum.tn += of.tn;
    }
    return sum;
  }

  double score(const Outcomes& of) const { return score_(of, zero_division_); }

  Decisions decisions_;
  std::string average_;
  Score score_;
  double zero_division_;
  int64_t ignore_index_;

 private:
  at::Tensor counts_;  // int64 [right, decided, true, all] by class or label
};

/// Of classes, what is decided as the ignored class is no part of the micro average, nor that class of the macro one.
class Jaccard final : public Counted {
 public:
  explicit Jaccard(const Args& args) : Counted(args, jaccard_of) {}

 protected:
  double average(const std::vector<Outcomes>& classes) const override {
    const auto size = static_cast<int64_t>(classes.size());
    const bool ignores = ignore_index_ >= 0 && ignore_index_ < size && average_ != "weighted";
    const Outcomes ignored = ignores ? classes[static_cast<size_t>(ignore_index_)] : Outcomes{};
    if (average_ == "micro") {
      Outcomes all = pooled(classes);
      const double counted = all.tp + all.fp + all.fn - (ignored.tp + ignored.fp + ignored.fn);
      return ratio(all.tp, counted, zero_division_);
    }
    double sum = 0, weights = 0;
    for (int64_t i = 0; i < size; ++i) {
      const Outcomes& of = classes[static_cast<size_t>(i)];
      const bool left_out = (ignores && i == ignore_index_) || (!decisions_.labels() && of.tp + of.fp + of.fn == 0);
      const double weight = average_ == "weighted" ? of.tp + of.fn : left_out ? 0 : 1;
      sum += weight * score(of);
      weights += weight;
    }
    return sum / weights;
  }
};

}  // namespace

std::unique_ptr<Metric> build_accuracy(const Args& args) {
  if (args.string("average") == "micro") return std::make_unique<MicroAccuracy>(args);
  // Of one class its accuracy is its recall; a label is right also where it rightly is not there.
  return std::make_unique<Counted>(args, args.string("task") == "multilabel" ? label_accuracy_of : recall_of);
}

std::unique_ptr<Metric> build_precision(const Args& args) {
  return std::make_unique<Counted>(args, precision_of);
}

std::unique_ptr<Metric> build_recall(const Args& args) {
  return std::make_unique<Counted>(args, recall_of);
}

std::unique_ptr<Metric> build_f1_score(const Args& args) {
  return std::make_unique<Counted>(args, f1_of);
}

std::unique_ptr<Metric> build_jaccard_index(const Args& args) {
  return std::make_unique<Jaccard>(args);
}

}  // namespace gradloom
