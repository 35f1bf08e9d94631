// Stochastic gradient descent with momentum, as torch.optim.SGD(fused=True).
#include <ATen/ATen.h>

#include "core/optimizers/families.h"

namespace gradloom {

namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(const Args& args, std::vector<at::Tensor> parameters)
      : Optimizer(std::move(parameters)),
        momentum_(args.number("momentum")),
        dampening_(args.number("dampening")),
        weight_decay_(args.number("weight_decay")),
        nesterov_(args.flag("nesterov")),
        maximize_(args.flag("maximize")) {
    if (momentum_ == 0) return;
    columns_ = {{"momentum_buffer", {}}};
    for (const at::Tensor& parameter : parameters_) columns_[0].tensors.push_back(at::zeros_like(parameter));
  }

  void step(at::TensorList gradients, const StepValues& values, const at::Tensor& found_inf) override {
    const at::TensorList buffers = columns_.empty() ? at::TensorList() : at::TensorList(columns_[0].tensors);
    const double momentum = columns_.empty() ? 0 : values.momentum.value_or(momentum_);
    at::_fused_sgd_(parameters_, gradients, buffers, values.weight_decay.value_or(weight_decay_), momentum, values.lr,
                    dampening_, nesterov_, maximize_, /*is_first_step=*/!started_, /*grad_scale=*/{}, found_inf);
    started_ = true;
  }

  bool state_before_start() const override { return false; }

 private:
  double momentum_;
  double dampening_;
  double weight_decay_;
  bool nesterov_;
  bool maximize_;
};

}  // namespace

std::unique_ptr<Optimizer> build_sgd(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<Sgd>(args, std::move(parameters));
}

}  // namespace gradloom
