// The losses and their table. To add a kind: a class and a row here, and its row in engine/contract/losses.ts.
#include <ATen/ATen.h>

#include "core/errors.h"
#include "core/losses/loss.h"

namespace gradloom {

namespace {

class CrossEntropyLoss final : public Loss {
 public:
  CrossEntropyLoss(const Args& args, c10::Device device)
      : ignore_index_(args.integer("ignore_index")), label_smoothing_(args.number("label_smoothing")) {
    if (args.absent("weight")) return;
    const std::vector<double> weight = args.numbers("weight");
    weight_ = at::tensor(weight, at::kDouble).to(at::kFloat).to(device);
  }

  at::Tensor mean(const at::Tensor& output, const at::Tensor& target) const override {
    return at::cross_entropy_loss(output, target, weight_, at::Reduction::Mean, ignore_index_, label_smoothing_);
  }

  at::Tensor sum(const at::Tensor& output, const at::Tensor& target) const override {
    return at::cross_entropy_loss(output, target, weight_, at::Reduction::Sum, ignore_index_, label_smoothing_);
  }

  at::Tensor divisor(const at::Tensor&, const at::Tensor& target) const override {
    // Of probabilities torch's mean is over the samples, whatever their classes weigh.
    if (target.is_floating_point()) return at::full({}, target.size(0), target.options());
    const at::Tensor counted = target.ne(ignore_index_);
    if (!weight_.defined()) return counted.sum(at::kFloat);
    return at::where(counted, weight_.take(at::where(counted, target, 0)), 0).sum();
  }

  std::optional<int64_t> ignore_index() const override { return ignore_index_; }
  at::Tensor probabilities(const at::Tensor& output) const override { return at::softmax(output, 1); }

 private:
  at::Tensor weight_;
  int64_t ignore_index_;
  double label_smoothing_;
};

class MSELoss final : public Loss {
 public:
  at::Tensor mean(const at::Tensor& output, const at::Tensor& target) const override {
    return at::mse_loss(output, target.reshape_as(output), at::Reduction::Mean);
  }

  at::Tensor sum(const at::Tensor& output, const at::Tensor& target) const override {
    return at::mse_loss(output, target.reshape_as(output), at::Reduction::Sum);
  }

  at::Tensor divisor(const at::Tensor& output, const at::Tensor&) const override {
    return at::scalar_tensor(output.numel(), output.options().requires_grad(false));
  }
};

constexpr LossKind kinds[] = {
    {"CrossEntropyLoss",
     {"weight", "ignore_index", "label_smoothing"},
     [](const Args& args, c10::Device device) -> std::unique_ptr<Loss> {
       return std::make_unique<CrossEntropyLoss>(args, device);
     }},
    {"MSELoss", {}, [](const Args&, c10::Device) -> std::unique_ptr<Loss> { return std::make_unique<MSELoss>(); }},
};

}  // namespace

at::Tensor align(const at::Tensor& output, Target target) {
  return target == Target::next_token ? output.movedim(-1, 1) : output;
}

std::span<const LossKind> loss_kinds() {
  return kinds;
}

std::unique_ptr<Loss> build_loss(const KindPlan& plan, c10::Device device) {
  for (const LossKind& row : kinds) {
    if (row.kind == plan.kind) return row.build(plan.args, device);
  }
  throw Error("NOT_SUPPORTED", "The engine has no loss " + plan.kind + ".", "Update Gradloom, or use another kind.",
              "training.loss");
}

}  // namespace gradloom
