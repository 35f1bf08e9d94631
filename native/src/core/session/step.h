// One optimizer step of a session: forward, backward and update, or nothing at all.
#pragma once

#include "core/session/impl.h"

namespace gradloom {

/// The scalars of each step, kept on the device until the chunk's end.
class Columns {
 public:
  explicit Columns(size_t count) : values_(count) {}

  void push(size_t column, const at::Tensor& scalar) { values_[column].push_back(scalar); }
  bool empty() const { return values_.front().empty(); }

  /// One copy to the host: float32 [columns, steps]. This is where the host waits.
  at::Tensor read() const;

 private:
  std::vector<std::vector<at::Tensor>> values_;
};

/// What the request has for one of its steps.
std::vector<StepValues> step_values(const std::vector<GroupSchedule>& groups, int64_t step);

/// In place, as the plan asks: torch.nn.utils.clip_grad_norm_ with norm 2, then clip_grad_value_. Answers the norm before,
/// undefined where the plan has no limit for it.
at::Tensor clip_gradients(const Plan& plan, const std::vector<at::Tensor>& gradients);

/// What became of a step. Without loss scaling `updated` may also mean that nothing was: only the device knows.
enum class Outcome {
  updated,
  skipped,     // a scaled gradient overflowed
  not_finite,  // the loss, or a gradient that no scale helps: everything stands as before
};

/// Unless `finish` was reached, buffers and generators go back to where the step began. Lives within a
/// Generators::Scope.
class Session::Impl::Step {
 public:
  /// A step of `batches` with so many samples in all.
  Step(Impl& session, int64_t batches, int64_t samples);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  /// Forward and backward of one of the step's batches; the gradients add up.
  void run_batch(const Batch& batch, PhaseClock& clock);

  /// Updates the parameters, or nothing where a value was not finite; records the step's values: the flag, the loss,
  /// each metric's sum and count, the gradients' norm when clipping, scale and overflow with loss scaling. `values` are
  /// one a parameter group.
  Outcome finish(std::span<const StepValues> values, Columns& columns);

  int64_t samples() const { return samples_; }

  /// The generator's state at the step's beginning; undefined where the model draws nothing.
  const at::Tensor& generator() const { return generator_; }

 private:
  /// What the gradients are taken of.
  at::Tensor objective(const at::Tensor& loss, const Batch& batch);
  void average_gradients();
  /// Where the loss, and without loss scaling a gradient, is not finite: raises the session's flag, and never lowers
  /// it.
  void raise_flag();
  /// Decides on a scaled step's fate; the host waits here.
  Outcome settle_scale();

  Impl& session_;
  int64_t batches_;
  int64_t step_samples_;
  at::Tensor generator_;
  std::vector<at::Tensor> gradients_;
  at::Tensor expected_divisor_;  // with loss scaling and several batches: what the sums are divided by beforehand
  at::Tensor loss_;
  at::Tensor divisor_;
  std::vector<Share> metrics_;
  int64_t samples_ = 0;
  bool kept_ = false;
};

}  // namespace gradloom
