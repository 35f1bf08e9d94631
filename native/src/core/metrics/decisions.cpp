// The readings that torchmetrics makes of predictions and targets before it counts.
#include "core/metrics/decisions.h"

#include <ATen/ATen.h>

namespace gradloom {

namespace {

std::optional<int64_t> optional_integer(const Args& args, std::string_view name) {
  return args.absent(name) ? std::nullopt : std::optional(args.integer(name));
}

}  // namespace

Decisions::Decisions(const Args& args)
    : labels_(args.string("task") == "multilabel"),
      classes_(args.integer("classes")),
      ignore_index_(optional_integer(args, "ignore_index")),
      top_k_(args.absent("top_k") ? 1 : args.integer("top_k")),
      threshold_(args.absent("threshold") ? 0.5 : args.number("threshold")) {}

Decisions::Decisions(bool labels, int64_t classes, std::optional<int64_t> ignore_index)
    : labels_(labels), classes_(classes), ignore_index_(ignore_index) {}

Decisions::Read Decisions::read(const Answer& answer) const {
  return labels_ ? read_labels(answer) : read_classes(answer);
}

Decisions::Read Decisions::read_classes(const Answer& answer) const {
  // Mixed samples have a probability for each class.
  const at::Tensor target = answer.target.is_floating_point() ? answer.target.argmax(1) : answer.target;
  at::Tensor valid = target.ge(0).logical_and_(target.lt(classes_));
  if (ignore_index_) valid.logical_and_(target.ne(*ignore_index_));
  at::Tensor decided;
  if (top_k_ == 1) {
    decided = answer.output.argmax(1);
  } else {
    // The true class if it is among the best, else the very best.
    const at::Tensor best = std::get<1>(answer.output.topk(top_k_, 1));
    decided = at::where(best.eq(target.unsqueeze(1)).any(1), target, best.select(1, 0));
  }
  return {decided.flatten(), at::where(valid, target, 0).flatten(), valid.flatten(), {}};
}

Decisions::Read Decisions::read_labels(const Answer& answer) const {
  const int64_t samples = answer.output.size(0);
  const at::Tensor decided = answer.loss.probabilities(answer.output).gt(threshold_).reshape({samples, classes_, -1});
  const at::Tensor target = answer.target.reshape(decided.sizes());
  at::Tensor valid = target.eq(0).logical_or_(target.eq(1));
  if (ignore_index_) valid.logical_and_(target.ne(*ignore_index_));
  const at::Tensor label = at::arange(classes_, answer.output.options().dtype(at::kLong).requires_grad(false))
                               .view({1, classes_, 1})
                               .expand(decided.sizes());
  return {decided.to(at::kLong).flatten(), target.to(at::kLong).flatten(), valid.flatten(), label.reshape(-1)};
}

void count_into(at::Tensor& counts, const at::Tensor& index, const at::Tensor& counted) {
  counts.index_put_({index}, counted.to(at::kLong), /*accumulate=*/true);
}

}  // namespace gradloom
