// Optimizers and their table: one row a kind.
#pragma once

#include <ATen/core/TensorBody.h>
#include <c10/core/Device.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/names.h"
#include "core/plan.h"

namespace gradloom {

/// Values of one step; those absent keep the optimizer's own.
struct StepValues {
  double lr = 0;
  std::optional<double> momentum;  // beta1 for the Adam family
  std::optional<double> weight_decay;
};

/// One state key of torch's optimizer with a tensor for each parameter, undefined for those that have no such key.
struct StateColumn {
  std::string key;
  std::vector<at::Tensor> tensors;
};

class Optimizer {
 public:
  explicit Optimizer(std::vector<at::Tensor> parameters) : parameters_(std::move(parameters)) {}
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Updates parameters and state, or neither where the device's flag `found_inf` ([1], 0 or 1) is set.
  virtual void step(at::TensorList gradients, const StepValues& values, const at::Tensor& found_inf) = 0;

  /// State as torch keeps it. Columns exist from the start; `started` tells whether they hold anything yet.
  const std::vector<StateColumn>& state() const { return columns_; }

  /// Whether a real step has been done since the start; some kinds treat the first one differently.
  bool started() const { return started_; }

  /// To be called when parameters or state became others than the last step left them: loaded, put back, or a step was
  /// void. What the host keeps of the state is read again; this waits for the device.
  virtual void reread(bool started) { started_ = started; }

  /// Before the first step torch's file holds no such keys.
  virtual bool state_before_start() const { return true; }

 protected:
  std::vector<at::Tensor> parameters_;
  std::vector<StateColumn> columns_;
  bool started_ = false;
};

struct OptimizerKind {
  std::string_view kind;
  Names arguments;
  std::unique_ptr<Optimizer> (*build)(const Args&, std::vector<at::Tensor> parameters);
};

std::span<const OptimizerKind> optimizer_kinds();

/// Throws NOT_SUPPORTED for a kind without a row.
std::unique_ptr<Optimizer> build_optimizer(const KindPlan& plan, std::vector<at::Tensor> parameters);

}  // namespace gradloom
