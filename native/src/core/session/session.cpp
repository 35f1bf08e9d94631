// Builds a session, and hands its calls to their implementation under the settings they need.
#include "core/session.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "core/devices.h"
#include "core/errors.h"
#include "core/layers/inits.h"
#include "core/session/impl.h"
#include "core/session/shapes.h"

namespace gradloom {

namespace {

c10::Device device_of(const Plan& plan) {
  prepare_process();
  return parse_device(plan.device);
}

/// Drawn under the plan's settings, from the session's own generator.
Model build_model(const Plan& plan, c10::Device device, Generators& generators) {
  const SettingsScope settings(plan);
  const Generators::Scope randomness(generators);
  Model model(plan.model, plan.activation_checkpointing, device);
  apply_inits(plan.inits, model);
  model.freeze(plan.frozen);
  if (plan.untrained || !model.trainable().empty()) return model;
  throw Error("PROJECT_INVALID", "The model has nothing to learn: no layer has parameters that train.",
              "Add a layer with weights, such as Linear, or let one train.", "model.layers");
}

std::vector<at::Tensor> tensors_of(const std::vector<ModelTensor>& entries) {
  std::vector<at::Tensor> tensors;
  for (const ModelTensor& entry : entries) tensors.push_back(entry.tensor);
  return tensors;
}

/// Generators, thread counts and determinism belong to the process: sessions side by side compute one at a time.
/// Never destroyed: a thread may still hold it when the process's statics go.
std::mutex& computing() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

}  // namespace

Session::Impl::Impl(Plan plan)
    : plan_(std::move(plan)),
      device_(device_of(plan_)),
      generators_(device_, plan_.seed),
      model_(build_model(plan_, device_, generators_)),
      parameters_(tensors_of(model_.trainable())),
      autocast_(autocast_for(device_.type(), plan_.precision)),
      buffers_(model_.buffers()),
      optimizer_(plan_, model_.trainable()),
      loss_(build_loss(plan_.loss, device_)),
      loader_(plan_, device_),
      mixing_(plan_),
      found_inf_(at::zeros({1}, at::TensorOptions(device_).dtype(at::kFloat))),
      one_(at::ones({}, found_inf_.options())) {
  if (plan_.loss_scale) scaler_ = std::make_unique<LossScaler>(*plan_.loss_scale, device_);
  if (plan_.ema_decay) ema_ = std::make_unique<Ema>(model_, *plan_.ema_decay);
  for (const MetricPlan& metric : plan_.metrics) {
    const auto& built = metrics_[metric.key] = build_metric(metric);
    if (built->per_step()) step_metrics_.emplace_back(metric.key, built->per_step());
  }
}

at::Tensor Session::Impl::forward(const at::Tensor& input, bool training) {
  if (!shapes_checked_) {
    // A pass of its own, so that a session's first step computes exactly what every other step would. Of two samples:
    // statistics of a batch want more than one value.
    const c10::InferenceMode inference;
    ShapeCheck check;
    at::Tensor some = input.narrow(0, 0, std::min<int64_t>(2, input.size(0)));
    // A batch of short sequences was cut: the plan's shapes are those of whole ones.
    if (plan_.loader.padding && some.dim() == 2)
      some = at::constant_pad_nd(some, {0, plan_.input.at(0) - some.size(1)}, *plan_.loader.padding);
    model_.forward(some, {.training = false, .in_place = true, .observer = &check});
    forget_casts();  // those of inference mode are no use to a backward pass
    shapes_checked_ = true;
  }
  return align(model_.forward(input, {.training = training}), plan_.target);
}

MemoryReport Session::Impl::memory(bool reset) {
  const MemoryReport report = memory_report(device_);
  if (reset) reset_peak(device_);
  return report;
}

Session::Session(Plan plan) {
  const std::lock_guard turn(computing());
  impl_ = std::make_unique<Impl>(std::move(plan));
}
Session::~Session() = default;

StepsResult Session::train_steps(const StepsRequest& request) {
  const std::lock_guard turn(computing());
  return impl_->train_steps(request);
}
EvaluateResult Session::evaluate(const EvaluateRequest& request) {
  const std::lock_guard turn(computing());
  return impl_->evaluate(request);
}
PredictResult Session::predict(const PredictRequest& request) {
  const std::lock_guard turn(computing());
  return impl_->predict(request);
}
Diagnosis Session::diagnose(const DiagnoseRequest& request) {
  const std::lock_guard turn(computing());
  return impl_->diagnose(request);
}
LookResult Session::look(const LookRequest& request) {
  const std::lock_guard turn(computing());
  return impl_->look(request);
}
void Session::save_batch(int64_t epoch, int64_t batch, const std::string& file) {
  const std::lock_guard turn(computing());
  impl_->save_batch(epoch, batch, file);
}
void Session::save_state(const std::string& folder) {
  impl_->save_state(folder);
}
void Session::load_state(const std::string& folder, bool model_only) {
  const std::lock_guard turn(computing());
  impl_->load_state(folder, model_only);
}
LoadReport Session::load_weights(const std::string& file) {
  return impl_->load_weights(file);
}
MemoryReport Session::memory(bool reset_peak) {
  return impl_->memory(reset_peak);
}
void Session::cancel() {
  impl_->cancelled = true;
}
void Session::forget_cancel() {
  impl_->cancelled = false;
}

}  // namespace gradloom
