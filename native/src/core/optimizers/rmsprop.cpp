// Gradients divided by a running mean of their size, as torch.optim.RMSprop.
#include <ATen/ATen.h>

#include "core/optimizers/families.h"
#include "core/optimizers/flat.h"

namespace gradloom {

namespace {

class RmsProp final : public FlatOptimizer {
 public:
  RmsProp(const Args& args, std::vector<at::Tensor> parameters)
      : FlatOptimizer(args, std::move(parameters)),
        alpha_(args.number("alpha")),
        eps_(args.number("eps")),
        momentum_(args.number("momentum")),
        centered_(args.flag("centered")) {
    add_steps();
    square_avg_ = add_state("square_avg");
    if (momentum_ > 0) momentum_buffer_ = add_state("momentum_buffer");
    if (centered_) grad_avg_ = add_state("grad_avg");
  }

 private:
  void update(const Flat& gradient, const StepValues& values) override {
    add_l2(gradient, weight_decay(values));
    const at::Tensor& grad = gradient.all;
    const at::Tensor square_avg = draft(square_avg_).mul_(alpha_).addcmul_(grad, grad, 1 - alpha_);
    at::Tensor size = square_avg;
    if (centered_) {
      const at::Tensor grad_avg = draft(grad_avg_).lerp_(grad, 1 - alpha_);
      size = square_avg.addcmul(grad_avg, grad_avg, -1);
      set(grad_avg_, grad_avg);
    }
    size = size.sqrt().add_(eps_);
    if (momentum_ > 0) {
      const at::Tensor buffer = draft(momentum_buffer_).mul_(values.momentum.value_or(momentum_)).addcdiv_(grad, size);
      set(weights_, draft(weights_).sub_(buffer, values.lr));
      set(momentum_buffer_, buffer);
    } else {
      set(weights_, draft(weights_).addcdiv_(grad, size, -values.lr));
    }
    set(square_avg_, square_avg);
  }

  double alpha_;
  double eps_;
  double momentum_;
  bool centered_;
  Flat square_avg_;
  Flat momentum_buffer_;
  Flat grad_avg_;
};

}  // namespace

std::unique_ptr<Optimizer> build_rmsprop(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<RmsProp>(args, std::move(parameters));
}

}  // namespace gradloom
