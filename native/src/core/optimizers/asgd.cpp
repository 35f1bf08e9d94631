// Averaged stochastic gradient descent, as torch.optim.ASGD.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/optimizers/families.h"
#include "core/optimizers/flat.h"

namespace gradloom {

namespace {

class Asgd final : public FlatOptimizer {
 public:
  Asgd(const Args& args, std::vector<at::Tensor> parameters)
      : FlatOptimizer(args, std::move(parameters)),
        lambd_(args.number("lambd")),
        alpha_(args.number("alpha")),
        t0_(args.number("t0")) {
    add_steps();
    etas_ = add_number("eta", args.number("lr"));
    mus_ = add_number("mu", 1);
    ax_ = add_state("ax");
  }

  void reread(bool started) override {
    FlatOptimizer::reread(started);
    eta_ = etas_.select(0, 0).item<float>();
    mu_ = mus_.select(0, 0).item<float>();
  }

 private:
  void update(const Flat& gradient, const StepValues& values) override {
    // torch makes the state at the first step, with the learning rate of that step.
    if (number() == 1) eta_ = static_cast<float>(values.lr);
    const double eta = eta_;
    add_l2(gradient, weight_decay(values));
    const at::Tensor weights = draft(weights_).mul_(1 - lambd_ * eta).add_(gradient.all, -eta);
    set(ax_, mu_ == 1 ? weights : draft(ax_).add_(weights.sub(ax_.all).mul_(static_cast<double>(mu_))));
    set(weights_, weights);
    // In float32, as torch keeps them.
    eta_ = static_cast<float>(values.lr / std::pow(1 + lambd_ * values.lr * number(), alpha_));
    mu_ = static_cast<float>(1 / std::max(1.0, number() - t0_));
    set(etas_, static_cast<double>(eta_));
    set(mus_, static_cast<double>(mu_));
  }

  double lambd_;
  double alpha_;
  double t0_;
  at::Tensor etas_;
  at::Tensor mus_;
  float eta_ = 0;
  float mu_ = 1;
  Flat ax_;
};

}  // namespace

std::unique_ptr<Optimizer> build_asgd(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<Asgd>(args, std::move(parameters));
}

}  // namespace gradloom
