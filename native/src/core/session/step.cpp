// Autograd's gradients go straight into the fused kernels: none is zeroed, none is added to.
#include "core/session/step.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

namespace gradloom {

namespace {

void add(at::Tensor& sum, const at::Tensor& value) {
  sum = sum.defined() ? sum + value : value;
}

/// torch.nn.utils.clip_grad_norm_ with norm 2; returns the norm before clipping.
at::Tensor clip_gradients(const std::vector<at::Tensor>& gradients, double max_norm) {
  const at::Tensor norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2)), 2);
  at::_foreach_mul_(gradients, at::clamp_max(max_norm / (norm + 1e-6), 1.0));
  return norm;
}

}  // namespace

at::Tensor Columns::read() const {
  std::vector<at::Tensor> rows;
  for (const std::vector<at::Tensor>& column : values_) rows.push_back(at::stack(column));
  return at::stack(rows).cpu();
}

Session::Impl::Step::Step(Impl& session) : session_(session) {
  session_.buffers_.save();
  if (session_.model_.draws_random()) generator_ = session_.generators_.device_state();
}

Session::Impl::Step::~Step() {
  if (kept_) return;
  session_.buffers_.restore();
  if (generator_.defined()) session_.generators_.set_device_state(generator_);
}

void Session::Impl::Step::run_batch(const Batch& batch, int64_t batches, PhaseClock& clock) {
  const at::Tensor output = session_.forward(batch.input, true);
  // Alone, a batch takes torch's mean. Several add up sums, divided at the end by all their samples (or weights): the
  // large batch's mean.
  const bool alone = batches == 1;
  const at::Tensor loss =
      alone ? session_.loss_->mean(output, batch.target) : session_.loss_->sum(output, batch.target);
  clock.mark(&PhaseSeconds::forward);
  std::vector<at::Tensor> gradients = torch::autograd::grad({loss}, session_.parameters_);
  clock.mark(&PhaseSeconds::backward);

  const at::NoGradGuard no_grad;
  const at::Tensor result = output.detach();
  add(loss_, loss.detach());
  if (!alone) add(divisor_, session_.loss_->divisor(result, batch.target));
  metrics_.resize(session_.metrics_.size());
  for (size_t i = 0; i < metrics_.size(); ++i) add(metrics_[i], session_.metrics_[i]->sum(result, batch.target));
  if (gradients_.empty()) {
    gradients_ = std::move(gradients);
  } else {
    at::_foreach_add_(gradients_, gradients);
  }
  samples_ += batch.samples;
}

void Session::Impl::Step::finish(std::span<const StepValues> values, Columns& columns) {
  const at::NoGradGuard no_grad;
  if (divisor_.defined()) {
    at::_foreach_div_(gradients_, divisor_);
    loss_ = loss_ / divisor_;
  }
  for (size_t i = 0; i < gradients_.size(); ++i) {
    // The fused kernels walk parameter and gradient in one order of memory.
    const at::Tensor& parameter = session_.parameters_[i];
    if (gradients_[i].strides() != parameter.strides()) gradients_[i] = at::empty_like(parameter).copy_(gradients_[i]);
  }
  // Multiplies by one; what matters is that it raises the flag, and never lowers it.
  gradients_.push_back(loss_.clone());
  at::_amp_foreach_non_finite_check_and_unscale_(gradients_, session_.found_inf_, session_.one_);
  gradients_.pop_back();

  size_t column = 0;
  columns.push(column++, session_.found_inf_.select(0, 0).clone());
  columns.push(column++, loss_);
  for (const at::Tensor& metric : metrics_) columns.push(column++, metric);
  if (session_.plan_.clip_grad_norm) columns.push(column++, clip_gradients(gradients_, *session_.plan_.clip_grad_norm));

  session_.optimizer_.step(gradients_, values, session_.found_inf_);
  session_.buffers_.restore_where(session_.found_inf_);
  kept_ = true;
}

}  // namespace gradloom
