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
  Adam(const Args& args, std::vector<at::Tensor> parameters, Kernel kernel)
      : Optimizer(std::move(parameters)),
        kernel_(kernel),
        betas_(args.numbers("betas")),
        eps_(args.number("eps")),
        weight_decay_(args.number("weight_decay")),
        amsgrad_(args.flag("amsgrad")),
        maximize_(args.flag("maximize")) {
    // The steps are views of one tensor, so that one addition moves them all.
    steps_ = at::zeros({static_cast<int64_t>(parameters_.size())}, parameters_.front().options().requires_grad(false));
    columns_ = {{"step", steps_.unbind()}, {"exp_avg", zeros()}, {"exp_avg_sq", zeros()}};
    if (amsgrad_) columns_.push_back({"max_exp_avg_sq", zeros()});
  }

  void step(at::TensorList gradients, const StepValues& values, const at::Tensor& found_inf) override {
    steps_.add_(1).sub_(found_inf);
    kernel_(parameters_, gradients, columns_[1].tensors, columns_[2].tensors,
            amsgrad_ ? at::TensorList(columns_[3].tensors) : at::TensorList(), columns_[0].tensors, values.lr,
            values.momentum.value_or(betas_.at(0)), betas_.at(1), values.weight_decay.value_or(weight_decay_), eps_,
            amsgrad_, maximize_,
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
  std::vector<double> betas_;
  double eps_;
  double weight_decay_;
  bool amsgrad_;
  bool maximize_;
  at::Tensor steps_;
};

}  // namespace

std::unique_ptr<Optimizer> build_adam(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<Adam>(args, std::move(parameters), static_cast<Kernel>(at::_fused_adam_));
}

std::unique_ptr<Optimizer> build_adamw(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<Adam>(args, std::move(parameters), static_cast<Kernel>(at::_fused_adamw_));
}

}  // namespace gradloom
