// Adam with the infinity norm, as torch.optim.Adamax.
#include <ATen/ATen.h>

#include <cmath>

#include "core/optimizers/families.h"
#include "core/optimizers/flat.h"

namespace gradloom {

namespace {

class Adamax final : public FlatOptimizer {
 public:
  Adamax(const Args& args, std::vector<at::Tensor> parameters)
      : FlatOptimizer(args, std::move(parameters)), betas_(args.numbers("betas")), eps_(args.number("eps")) {
    add_steps();
    exp_avg_ = add_state("exp_avg");
    exp_inf_ = add_state("exp_inf");
  }

 private:
  void update(const Flat& gradient, const StepValues& values) override {
    const double beta1 = values.momentum.value_or(betas_.at(0));
    add_l2(gradient, weight_decay(values));
    const at::Tensor exp_avg = draft(exp_avg_).lerp_(gradient.all, 1 - beta1);
    at::Tensor exp_inf = draft(exp_inf_).mul_(betas_.at(1));
    at::maximum_out(exp_inf, exp_inf, gradient.all.abs().add_(eps_));
    const double rate = values.lr / (1 - std::pow(beta1, number()));
    set(weights_, draft(weights_).addcdiv_(exp_avg, exp_inf, -rate));
    set(exp_avg_, exp_avg);
    set(exp_inf_, exp_inf);
  }

  std::vector<double> betas_;
  double eps_;
  Flat exp_avg_;
  Flat exp_inf_;
};

}  // namespace

std::unique_ptr<Optimizer> build_adamax(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<Adamax>(args, std::move(parameters));
}

}  // namespace gradloom
