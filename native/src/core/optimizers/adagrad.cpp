// Adagrad and Adadelta, as torch.optim's.
#include <ATen/ATen.h>

#include "core/optimizers/families.h"
#include "core/optimizers/flat.h"

namespace gradloom {

namespace {

class Adagrad final : public FlatOptimizer {
 public:
  Adagrad(const Args& args, std::vector<at::Tensor> parameters)
      : FlatOptimizer(args, std::move(parameters)), lr_decay_(args.number("lr_decay")), eps_(args.number("eps")) {
    add_steps();
    sum_ = add_state("sum", args.number("initial_accumulator_value"));
  }

 private:
  void update(const Flat& gradient, const StepValues& values) override {
    add_l2(gradient, weight_decay(values));
    const at::Tensor sum = draft(sum_).addcmul_(gradient.all, gradient.all);
    const double rate = values.lr / (1 + (number() - 1) * lr_decay_);
    set(weights_, draft(weights_).addcdiv_(gradient.all, sum.sqrt().add_(eps_), -rate));
    set(sum_, sum);
  }

  double lr_decay_;
  double eps_;
  Flat sum_;
};

class Adadelta final : public FlatOptimizer {
 public:
  Adadelta(const Args& args, std::vector<at::Tensor> parameters)
      : FlatOptimizer(args, std::move(parameters)), rho_(args.number("rho")), eps_(args.number("eps")) {
    add_steps();
    square_avg_ = add_state("square_avg");
    acc_delta_ = add_state("acc_delta");
  }

 private:
  void update(const Flat& gradient, const StepValues& values) override {
    add_l2(gradient, weight_decay(values));
    const at::Tensor& grad = gradient.all;
    const at::Tensor square_avg = draft(square_avg_).mul_(rho_).addcmul_(grad, grad, 1 - rho_);
    const at::Tensor delta = acc_delta_.all.add(eps_).sqrt_().div_(square_avg.add(eps_).sqrt_()).mul_(grad);
    set(weights_, draft(weights_).sub_(delta, values.lr));
    set(acc_delta_, draft(acc_delta_).mul_(rho_).addcmul_(delta, delta, 1 - rho_));
    set(square_avg_, square_avg);
  }

  double rho_;
  double eps_;
  Flat square_avg_;
  Flat acc_delta_;
};

}  // namespace

std::unique_ptr<Optimizer> build_adagrad(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<Adagrad>(args, std::move(parameters));
}

std::unique_ptr<Optimizer> build_adadelta(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<Adadelta>(args, std::move(parameters));
}

}  // namespace gradloom
