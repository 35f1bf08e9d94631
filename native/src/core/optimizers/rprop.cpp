// Resilient propagation: only the gradient's signs count. As torch.optim.Rprop.
#include <ATen/ATen.h>

#include "core/optimizers/families.h"
#include "core/optimizers/flat.h"

namespace gradloom {

namespace {

class Rprop final : public FlatOptimizer {
 public:
  Rprop(const Args& args, std::vector<at::Tensor> parameters)
      : FlatOptimizer(args, std::move(parameters)), etas_(args.numbers("etas")), bounds_(args.numbers("step_sizes")) {
    add_steps();
    prev_ = add_state("prev");
    step_size_ = add_state("step_size", args.number("lr"));
  }

 private:
  void update(const Flat& gradient, const StepValues& values) override {
    // torch makes the state at the first step, with the learning rate of that step.
    const at::Tensor step_size = draft(step_size_);
    if (number() == 1) step_size.fill_(values.lr);
    const at::Tensor agreement = gradient.all * prev_.all;
    const at::Tensor turned = agreement < 0;
    const at::Tensor factor =
        at::where(agreement > 0, etas_.at(1), at::where(turned, etas_.at(0), at::ones_like(agreement)));
    step_size.mul_(factor).clamp_(bounds_.at(0), bounds_.at(1));
    const at::Tensor taken = gradient.all.masked_fill(turned, 0);
    set(weights_, draft(weights_).addcmul_(taken.sign(), step_size, -1));
    set(step_size_, step_size);
    set(prev_, taken);
  }

  std::vector<double> etas_;
  std::vector<double> bounds_;
  Flat prev_;
  Flat step_size_;
};

}  // namespace

std::unique_ptr<Optimizer> build_rprop(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<Rprop>(args, std::move(parameters));
}

}  // namespace gradloom
