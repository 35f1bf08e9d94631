// One pass over the samples for each Normalize that is fitted, summed in doubles around each channel's first value.
#include "core/transforms/fit.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/errors.h"
#include "core/gather.h"
#include "core/transforms/chain.h"

namespace gradloom {

namespace {

/// Sums of one channel.
class Moments {
 public:
  void add(const float* values, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const auto value = static_cast<double>(values[i]);
      if (std::isfinite(value)) add(value, 1);
    }
  }

  void add(double value, double times) {
    if (count_ == 0) origin_ = value;
    const double away = value - origin_;
    count_ += times;
    sum_ += times * away;
    squares_ += times * away * away;
  }

  double mean() const { return count_ == 0 ? 0 : origin_ + sum_ / count_; }

  double std() const {
    if (count_ == 0) return 1;
    const double mean = sum_ / count_;
    const double variance = squares_ / count_ - mean * mean;
    return variance > 0 ? std::sqrt(variance) : 1;
  }

 private:
  double origin_ = 0;
  double count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

/// Samples that are read at once.
constexpr int64_t kBatch = 64;

std::vector<Moments> measured(const Split& split, const Chain& before) {
  const std::vector<int64_t>& shape = before.output();
  const auto channels = static_cast<size_t>(shape.empty() ? 1 : shape.front());
  std::vector<Moments> moments(channels);
  const Gatherer gatherer(before, /*finished=*/before.simple(), /*pin=*/false);
  for (int64_t start = 0; start < split.count(); start += kBatch) {
    std::vector<int64_t> rows;
    for (int64_t i = start; i < std::min(start + kBatch, split.count()); ++i) rows.push_back(split.row(i));
    const ChainDraws draws = before.fixed(static_cast<int64_t>(rows.size()));
    const std::vector<Warp> warps = before.simple() && before.moves() ? before.warps(draws) : std::vector<Warp>();
    at::Tensor batch = gatherer.gather(split.part(), rows, warps).input;
    if (!before.simple()) batch = before.apply(as_floats(batch, split.part().input.scale()), draws);
    const int64_t area = batch.numel() / (batch.size(0) * static_cast<int64_t>(channels));
    const float* values = batch.const_data_ptr<float>();
    for (int64_t i = 0; i < batch.size(0); ++i) {
      for (Moments& channel : moments) {
        channel.add(values, area);
        values += area;
      }
    }
  }
  return moments;
}

}  // namespace

std::vector<Fitted> fit_transforms(const Plan& plan) {
  const auto splits = open_splits(plan);
  const auto train = splits.find("train");
  if (train == splits.end()) throw Error("BAD_CALL", "The plan has no split train.");
  std::vector<KindPlan> before;
  std::vector<Fitted> fitted;
  for (const KindPlan& transform : plan.transforms) {
    if (transform.kind != "Normalize" || !transform.args.absent("mean")) {
      before.push_back(transform);
      continue;
    }
    Fitted& found = fitted.emplace_back(Fitted{static_cast<int64_t>(before.size()), {}, {}});
    for (const Moments& channel :
         measured(train->second, Chain(before, stored_shape(plan), c10::Device(c10::kCPU), plan.seed))) {
      found.mean.push_back(channel.mean());
      found.std.push_back(channel.std());
    }
    before.push_back({transform.kind, transform.args.with("mean", found.mean).with("std", found.std)});
  }
  return fitted;
}

}  // namespace gradloom
