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
    values.push_back({group.lr.at(static_cast<size_t>(step)), value_at(group.momentum, step),
                      value_at(group.weight_decay, step)});
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
  const bool clips = plan_.clip_grad_norm.has_value();

  StepsResult result;
  PhaseClock clock(device_);
  Columns columns(2 + metrics_.size() + (clips ? 1 : 0));
  std::vector<int64_t> samples;
  std::vector<at::Tensor> generator_states;
  int64_t next = request.batch;
  while (static_cast<int64_t>(samples.size()) < request.steps && !result.cancelled) {
    const int64_t batches = std::min(plan_.accumulate, batches_per_epoch - next);
    if (batches < 1)
      throw Error("BAD_CALL", "The epoch has no step after batch " + std::to_string(next) + ".",
                  "Ask for fewer steps.");
    Step step(*this);
    for (int64_t i = 0; i < batches && !result.cancelled; ++i) {
      if (cancelled.exchange(false)) {
        result.cancelled = true;
        break;
      }
      clock.skip();
      const Batch batch = train_batch(request.epoch, next + i);
      clock.mark_batch(batch.wait_seconds);
      step.run_batch(batch, batches, clock);
    }
    if (result.cancelled) break;
    clock.skip();
    step.finish(step_values(request.groups, static_cast<int64_t>(samples.size())), columns);
    clock.mark(&PhaseSeconds::optimizer);
    generator_states.push_back(step.generator());
    samples.push_back(step.samples());
    next += batches;
  }

  result.columns["loss"];
  result.columns["samples"];
  for (const MetricKind* metric : metrics_) result.columns[std::string(metric->name)];
  if (clips) result.columns["grad_norm"];
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
      for (const MetricKind* metric : metrics_)
        result.columns[std::string(metric->name)].push_back(values[row++][step] / count);
      if (clips) result.columns["grad_norm"].push_back(values[row][step]);
      ++result.steps;
    }
  }
  if (result.non_finite) {
    const at::Tensor& state = generator_states[static_cast<size_t>(result.steps)];
    if (state.defined()) generators_.set_device_state(state);
    found_inf_.zero_();
    optimizer_.reread(started || result.steps > 0);
  }
  result.seconds = clock.finish();
  return result;
}

}  // namespace gradloom
