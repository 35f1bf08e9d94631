// Adam and AdamW, as torch.optim's with fused=True.
#include <ATen/ATen.h>

#include "core/optimizers/families.h"

namespace gradloom {

namespace {

/// The fused kernel of a kind; Adam and AdamW differ in nothing else.
using Kernel = void (*)(at::TensorList parameters, at::TensorList gradients, at::TensorList exp_avgs,
                        at::TensorList exp_avg_sqs, at::TensorList max_exp_avg_sqs, at::TensorList steps, double lr,
                        double beta1, double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                        const std::optional<at::Tensor>& grad_scale, const std::optional<at::Tensor>& found_inf);

class Adam final : public Optimizer {
 public:
  Adam(AdamArgs args, std::vector<at::Tensor> parameters, Kernel kernel)
      : Optimizer(std::move(parameters)), kernel_(kernel), args_(std::move(args)) {
    // The steps are views of one tensor, so that one addition moves them all.
    steps_ = at::zeros({static_cast<int64_t>(parameters_.size())}, parameters_.front().options().requires_grad(false));
    columns_ = {{"step", steps_.unbind()}, {"exp_avg", zeros()}, {"exp_avg_sq", zeros()}};
    if (args_.amsgrad) columns_.push_back({"max_exp_avg_sq", zeros()});
  }

  void step(at::TensorList gradients, const StepValues& values, const at::Tensor& found_inf) override {
    steps_.add_(1).sub_(found_inf);
    kernel_(parameters_, gradients, columns_[1].tensors, columns_[2].tensors,
            args_.amsgrad ? at::TensorList(columns_[3].tensors) : at::TensorList(), columns_[0].tensors, values.lr,
            values.momentum.value_or(args_.betas.at(0)), args_.betas.at(1),
            values.weight_decay.value_or(args_.weight_decay), args_.eps, args_.amsgrad, args_.maximize,
            /*grad_scale=*/{}, found_inf);
    started_ = true;
  }

 private:
  std::vector<at::Tensor> zeros() const {
    std::vector<at::Tensor> result;
    for (const at::Tensor& parameter : parameters_)
      result.push_back(at::zeros_like(parameter, parameter.options().requires_grad(false)));
    return result;
  }

  Kernel kernel_;
  AdamArgs args_;
  at::Tensor steps_;
};

AdamArgs read(const Args& args) {
  return {args.numbers("betas"), args.number("eps"), args.number("weight_decay"), args.flag("amsgrad"),
          args.flag("maximize")};
}

}  // namespace

std::unique_ptr<Optimizer> build_adam(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<Adam>(read(args), std::move(parameters), static_cast<Kernel>(at::_fused_adam_));
}

std::unique_ptr<Optimizer> build_adamw(const Args& args, std::vector<at::Tensor> parameters) {
  return build_adamw(read(args), std::move(parameters));
}

std::unique_ptr<Optimizer> build_adamw(AdamArgs args, std::vector<at::Tensor> parameters) {
  return std::make_unique<Adam>(std::move(args), std::move(parameters), static_cast<Kernel>(at::_fused_adamw_));
}

}  // namespace gradloom
