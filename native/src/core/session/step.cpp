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

}  // namespace

at::Tensor clip_gradients(const Plan& plan, const std::vector<at::Tensor>& gradients) {
  at::Tensor norm;
  if (plan.clip_grad_norm) {
    norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2)), 2);
    at::_foreach_mul_(gradients, at::clamp_max(*plan.clip_grad_norm / (norm + 1e-6), 1.0));
  }
  if (plan.clip_grad_value) {
    at::_foreach_clamp_min_(gradients, -*plan.clip_grad_value);
    at::_foreach_clamp_max_(gradients, *plan.clip_grad_value);
  }
  return norm;
}

at::Tensor Columns::read() const {
  std::vector<at::Tensor> rows;
  for (const std::vector<at::Tensor>& column : values_) rows.push_back(at::stack(column));
  return at::stack(rows).cpu();
}

Session::Impl::Step::Step(Impl& session, int64_t batches, int64_t samples)
    : session_(session), batches_(batches), step_samples_(samples) {
  session_.buffers_.save();
  if (session_.model_.draws_random()) generator_ = session_.generators_.device_state();
}

Session::Impl::Step::~Step() {
  if (kept_) return;
  session_.buffers_.restore();
  if (generator_.defined()) session_.generators_.set_device_state(generator_);
}

void Session::Impl::Step::run_batch(const Batch& batch, PhaseClock& clock) {
  at::Tensor output, loss;
  {
    const AutocastScope autocast(session_.autocast_);
    output = session_.forward(batch.input, true);
    // Alone, a batch takes torch's mean. Several add up sums, divided at the end by all their samples (or weights): the
    // large batch's mean.
    loss = batches_ == 1 ? session_.loss_->mean(output, batch.target) : session_.loss_->sum(output, batch.target);
  }
  const at::Tensor result = output.detach().to(at::kFloat);
  if (batches_ > 1) add(divisor_, session_.loss_->divisor(result, batch.target));
  clock.mark(&PhaseSeconds::forward);
  std::vector<at::Tensor> gradients = torch::autograd::grad({objective(loss, batch)}, session_.parameters_);
  clock.mark(&PhaseSeconds::backward);

  const at::NoGradGuard no_grad;
  add(loss_, loss.detach().to(at::kFloat).clone());  // not in memory as large as the output, see evaluate.cpp
  metrics_.resize(session_.step_metrics_.size());
  for (size_t i = 0; i < metrics_.size(); ++i) {
    const Share part = session_.step_metrics_[i].second->part({result, batch.label, *session_.loss_});
    add(metrics_[i].sum, part.sum);
    add(metrics_[i].count, part.count);
  }
  if (gradients_.empty()) {
    gradients_ = std::move(gradients);
  } else {
    at::_foreach_add_(gradients_, gradients);
  }
  samples_ += batch.samples;
}

at::Tensor Session::Impl::Step::objective(const at::Tensor& loss, const Batch& batch) {
  if (!session_.scaler_) return loss;
  if (batches_ == 1) return session_.scaler_->scaled(loss);
  // The gradient of a sum would overflow fp16 that much sooner: it is divided beforehand by what the first batch lets
  // expect (exactly the divisor, where that goes by samples), and by the rest at the end.
  if (!expected_divisor_.defined()) {
    const at::Tensor expected = divisor_ * (static_cast<double>(step_samples_) / static_cast<double>(batch.samples));
    expected_divisor_ = at::where(expected > 0, expected, static_cast<double>(step_samples_));
  }
  return session_.scaler_->scaled(loss / expected_divisor_);
}

Outcome Session::Impl::Step::finish(std::span<const StepValues> values, Columns& columns) {
  const at::NoGradGuard no_grad;
  average_gradients();
  if (session_.scaler_) session_.scaler_->unscale(gradients_);
  raise_flag();

  size_t column = 1;
  columns.push(column++, loss_);
  for (const Share& metric : metrics_) {
    columns.push(column++, metric.sum);
    columns.push(column++, metric.count);
  }
  const at::Tensor norm = clip_gradients(session_.plan_, gradients_);
  if (norm.defined()) columns.push(column++, norm);
  Outcome outcome = Outcome::updated;
  if (session_.scaler_) {
    columns.push(column++, session_.scaler_->scale());
    columns.push(column++, session_.scaler_->overflowed());
    outcome = settle_scale();
  }
  columns.push(0, session_.found_inf_.select(0, 0).clone());

  if (outcome == Outcome::updated) session_.optimizer_.step(gradients_, values, session_.found_inf_);
  session_.buffers_.restore_where(session_.found_inf_);
  if (session_.ema_ && outcome == Outcome::updated) session_.ema_->update(session_.found_inf_);
  kept_ = true;
  return outcome;
}

void Session::Impl::Step::average_gradients() {
  if (divisor_.defined()) {
    at::_foreach_div_(gradients_, expected_divisor_.defined() ? divisor_ / expected_divisor_ : divisor_);
    loss_ = loss_ / divisor_;
  }
  for (size_t i = 0; i < gradients_.size(); ++i) {
    // The fused kernels walk parameter and gradient in one order of memory.
    const at::Tensor& parameter = session_.parameters_[i];
    if (gradients_[i].strides() != parameter.strides()) gradients_[i] = at::empty_like(parameter).copy_(gradients_[i]);
  }
}

void Session::Impl::Step::raise_flag() {
  // Multiplies by one; what matters is the flag.
  std::vector<at::Tensor> checked;
  if (!session_.scaler_) checked = gradients_;
  checked.push_back(loss_.clone());
  at::_amp_foreach_non_finite_check_and_unscale_(checked, session_.found_inf_, session_.one_);
}

Outcome Session::Impl::Step::settle_scale() {
  LossScaler& scaler = *session_.scaler_;
  const at::Tensor scale = scaler.scale();
  const at::Tensor host = at::stack({session_.found_inf_.select(0, 0), scaler.overflowed(), scale}).cpu();
  const auto values = host.accessor<float, 1>();
  const bool overflowed = values[1] != 0;
  const bool lost = overflowed && LossScaler::lost(values[2] * session_.plan_.loss_scale->backoff_factor);
  if (lost) session_.found_inf_.fill_(1);
  if (lost || values[0] != 0) return Outcome::not_finite;
  scaler.update();
  return overflowed ? Outcome::skipped : Outcome::updated;
}

}  // namespace gradloom
