// Adam with Nesterov momentum, as torch.optim.NAdam.
#include <ATen/ATen.h>

#include <cmath>

#include "core/optimizers/families.h"
#include "core/optimizers/flat.h"

namespace gradloom {

namespace {

class NAdam final : public FlatOptimizer {
 public:
  NAdam(const Args& args, std::vector<at::Tensor> parameters)
      : FlatOptimizer(args, std::move(parameters)),
        betas_(args.numbers("betas")),
        eps_(args.number("eps")),
        momentum_decay_(args.number("momentum_decay")),
        decoupled_(args.flag("decoupled_weight_decay")) {
    add_steps();
    mu_products_ = add_number("mu_product", 1);
    exp_avg_ = add_state("exp_avg");
    exp_avg_sq_ = add_state("exp_avg_sq");
  }

  void reread(bool started) override {
    FlatOptimizer::reread(started);
    mu_product_ = mu_products_.select(0, 0).item<float>();
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

    const auto mu_at = [&](double step) { return beta1 * (1 - 0.5 * std::pow(0.96, step * momentum_decay_)); };
    const double mu = mu_at(number());
    const double mu_next = mu_at(number() + 1);
    mu_product_ *= static_cast<float>(mu);  // in float32, as torch keeps it
    const double product = mu_product_;

    const at::Tensor exp_avg = draft(exp_avg_).lerp_(grad, 1 - beta1);
    const at::Tensor exp_avg_sq = draft(exp_avg_sq_).mul_(beta2).addcmul_(grad, grad, 1 - beta2);
    const at::Tensor denom = exp_avg_sq.div(1 - std::pow(beta2, number())).sqrt_().add_(eps_);
    set(weights_, weights.addcdiv_(grad, denom, -lr * (1 - mu) / (1 - product))
                      .addcdiv_(exp_avg, denom, -lr * mu_next / (1 - product * mu_next)));
    set(mu_products_, product);
    set(exp_avg_, exp_avg);
    set(exp_avg_sq_, exp_avg_sq);
  }

  std::vector<double> betas_;
  double eps_;
  double momentum_decay_;
  bool decoupled_;
  at::Tensor mu_products_;
  float mu_product_ = 1;
  Flat exp_avg_;
  Flat exp_avg_sq_;
};

}  // namespace

std::unique_ptr<Optimizer> build_nadam(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<NAdam>(args, std::move(parameters));
}

}  // namespace gradloom
