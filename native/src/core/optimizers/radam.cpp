// Rectified Adam, as torch.optim.RAdam.
#include <ATen/ATen.h>

#include <cmath>

#include "core/optimizers/families.h"
#include "core/optimizers/flat.h"

namespace gradloom {

namespace {

class RAdam final : public FlatOptimizer {
 public:
  RAdam(const Args& args, std::vector<at::Tensor> parameters)
      : FlatOptimizer(args, std::move(parameters)),
        betas_(args.numbers("betas")),
        eps_(args.number("eps")),
        decoupled_(args.flag("decoupled_weight_decay")) {
    add_steps();
    exp_avg_ = add_state("exp_avg");
    exp_avg_sq_ = add_state("exp_avg_sq");
  }

 private:
  void update(const Flat& gradient, const StepValues& values) override {
    const double lr = values.lr;
    const double decay = weight_decay(values);
    const double beta1 = values.momentum.value_or(betas_.at(0));
    const double beta2 = betas_.at(1);
    const at::Tensor& grad = gradient.all;
    const at::Tensor weights = draft(weights_);
    if (decoupled_ && decay != 0) weights.mul_(1 - lr * decay);
    if (!decoupled_) add_l2(gradient, decay);

    const at::Tensor exp_avg = draft(exp_avg_).lerp_(grad, 1 - beta1);
    const at::Tensor exp_avg_sq = draft(exp_avg_sq_).mul_(beta2).addcmul_(grad, grad, 1 - beta2);
    const double correction1 = 1 - std::pow(beta1, number());
    const double correction2 = 1 - std::pow(beta2, number());
    // The length of the simple moving average that the running one approximates: while short, its variance says
    // nothing.
    const double longest = 2 / (1 - beta2) - 1;
    const double length = longest - 2 * number() * std::pow(beta2, number()) / correction2;
    const at::Tensor change = exp_avg.div(correction1).mul_(lr);
    if (length > 5) {
      const double rectification =
          std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length));
      change.mul_(at::reciprocal(exp_avg_sq.sqrt().add_(eps_)).mul_(std::sqrt(correction2))).mul_(rectification);
    }
    set(weights_, weights.sub_(change));
    set(exp_avg_, exp_avg);
    set(exp_avg_sq_, exp_avg_sq);
  }

  std::vector<double> betas_;
  double eps_;
  bool decoupled_;
  Flat exp_avg_;
  Flat exp_avg_sq_;
};

}  // namespace

std::unique_ptr<Optimizer> build_radam(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<RAdam>(args, std::move(parameters));
}

}  // namespace gradloom
