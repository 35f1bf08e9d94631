// Averages floating-point tensors by lerp, others by the rounding of torch's fallback.
#include "core/session/ema.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace gradloom {

Ema::Ema(const Model& model, double decay) : decay_(decay) {
  for (const ModelTensor& entry : model.tensors()) {
    model_.push_back(entry.tensor);
    averages_.push_back({entry.name, {}, entry.buffer});
  }
}

const std::vector<ModelTensor>& Ema::averages() {
  for (size_t i = 0; i < model_.size(); ++i) {
    at::Tensor& mean = averages_[i].tensor;
    if (!mean.defined()) mean = at::empty_like(model_[i].detach());
  }
  return averages_;
}

void Ema::update(const at::Tensor& void_step) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> means, values;
  const at::Tensor flag = void_step.select(0, 0);
  const std::vector<ModelTensor>& all = averages();
  for (size_t i = 0; i < model_.size(); ++i) {
    const at::Tensor value = model_[i].detach();
    const at::Tensor& mean = all[i].tensor;
    if (!started_) {
      mean.copy_(value);
    } else if (mean.is_floating_point()) {
      means.push_back(mean);
      values.push_back(value);
    } else {
      const at::Tensor next = (mean * decay_ + value * (1 - decay_)).to(mean.scalar_type());
      mean.copy_(at::where(flag.to(at::kBool), mean, next));
    }
  }
  if (!means.empty()) {
    const at::Tensor weight = (1 - flag) * (1 - decay_);
    at::_foreach_lerp_(means, values, std::vector<at::Tensor>(means.size(), weight));
  }
  started_ = true;
}

Ema::Swap::Swap(Ema* ema) : ema_(ema != nullptr && ema->started() ? ema : nullptr) {
  if (ema_ == nullptr) return;
  for (size_t i = 0; i < ema_->model_.size(); ++i) {
    raw_.push_back(ema_->model_[i].detach());
    ema_->model_[i].set_data(ema_->averages_[i].tensor);
  }
}

Ema::Swap::~Swap() {
  for (size_t i = 0; i < raw_.size(); ++i) ema_->model_[i].set_data(raw_[i]);
}

}  // namespace gradloom
