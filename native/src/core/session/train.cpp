// The training loop of one chunk. The device is waited for once, at the end, where the steps' values are read.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/errors.h"
#include "core/session/impl.h"
#include "core/session/step.h"

namespace gradloom {

namespace {

std::optional<double> value_at(const std::vector<double>& column, int64_t step) {
  if (column.empty()) return std::nullopt;
  return column.at(static_cast<size_t>(step));
}

}  // namespace

std::vector<StepValues> step_values(const std::vector<GroupSchedule>& groups, int64_t step) {
  std::vector<StepValues> values;
  for (const GroupSchedule& group : groups) {
    values.push_back(
        {group.lr.at(static_cast<size_t>(step)), value_at(group.momentum, step), value_at(group.weight_decay, step)});
  }
  return values;
}

StepsResult Session::Impl::train_steps(const StepsRequest& request) {
  const SettingsScope settings(plan_);
  const Generators::Scope randomness(generators_);
  const at::AutoGradMode grad_mode(true);
  const int64_t batches_per_epoch = loader_.batches_per_epoch();
  if (request.groups.size() != optimizer_.size())
    throw Error("BAD_CALL", "The plan has " + std::to_string(optimizer_.size()) + " parameter groups.",
                "Give the values of each.", "groups");
  const bool started = optimizer_.started();
  const int64_t size = plan_.loader.batch_size;
  const bool averaged = ema_ && ema_->started();
  std::vector<std::string> extra;  // columns besides loss, samples and metrics
  if (plan_.clip_grad_norm) extra.emplace_back("grad_norm");
  if (scaler_) extra.insert(extra.end(), {"scale", "skipped"});

  StepsResult result;
  PhaseClock clock(device_, request.peaks);
  Columns columns(2 + 2 * step_metrics_.size() + extra.size());
  std::vector<int64_t> samples;
  std::vector<at::Tensor> generator_states;
  int64_t next = request.batch;
  int64_t updates = 0;  // schedules go by these
  bool ended = false;
  while (static_cast<int64_t>(samples.size()) < request.steps && !result.cancelled && !ended) {
    const int64_t batches = std::min(plan_.accumulate, batches_per_epoch - next);
    if (batches < 1)
      throw Error("BAD_CALL", "The epoch has no step after batch " + std::to_string(next) + ".",
                  "Ask for fewer steps.");
    Step step(*this, batches, std::min(batches * size, loader_.split_count("train") - next * size));
    for (int64_t i = 0; i < batches && !result.cancelled; ++i) {
      if (cancelled.exchange(false)) {
        result.cancelled = true;
        break;
      }
      clock.skip();
      const Batch batch = train_batch(request.epoch, next + i);
      clock.mark_batch(batch.wait_seconds);
      step.run_batch(batch, clock);
    }
    if (result.cancelled) break;
    clock.skip();
    const Outcome outcome = step.finish(step_values(request.groups, updates), columns);
    if (outcome == Outcome::updated) ++updates;
    ended = outcome == Outcome::not_finite;
    clock.mark(&PhaseSeconds::optimizer);
    generator_states.push_back(step.generator());
    samples.push_back(step.samples());
    next += batches;
  }

  result.columns["loss"];
  result.columns["samples"];
  for (const auto& [key, metric] : step_metrics_) result.columns[key], result.counts[key];
  for (const std::string& name : extra) result.columns[name];
  if (!columns.empty()) {
    const at::Tensor table = columns.read();
    const auto values = table.accessor<float, 2>();
    for (int64_t step = 0; step < table.size(1); ++step) {
      if (values[0][step] != 0) {
        result.non_finite = true;
        break;
      }
      const auto count = static_cast<double>(samples[static_cast<size_t>(step)]);
      int64_t row = 1;
      result.columns["loss"].push_back(values[row++][step]);
      result.columns["samples"].push_back(count);
      for (const auto& [key, metric] : step_metrics_) {
        const double sum = values[row++][step];
        result.counts[key].push_back(values[row++][step]);
        result.columns[key].push_back(sum / result.counts[key].back());
      }
      for (const std::string& name : extra) result.columns[name].push_back(values[row++][step]);
      ++result.steps;
    }
  }
  const bool updated = scaler_ ? updates > 0 : result.steps > 0;
  if (result.non_finite) {
    const at::Tensor& state = generator_states[static_cast<size_t>(result.steps)];
    if (state.defined()) generators_.set_device_state(state);
    found_inf_.zero_();
    optimizer_.reread(started || updated);
  }
  if (ema_) ema_->set_started(averaged || updated);
  result.seconds = clock.finish();
  result.peaks = clock.peaks();
  return result;
}

}  // namespace gradloom
