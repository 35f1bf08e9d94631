// The optimizer of a session: one of the plan's kind for each parameter group.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/layer.h"
#include "core/optimizers/optimizer.h"

namespace gradloom {

class ParameterGroups {
 public:
  /// `trainable` are the parameters that train, in the model's order; each belongs to one of the plan's groups. Throws
  /// BAD_CALL where that is not so.
  ParameterGroups(const Plan& plan, const std::vector<ModelTensor>& trainable);

  /// How many groups a step takes values for, those without parameters included.
  size_t size() const { return groups_.size(); }

  /// Updates parameters and state, or neither where the device's flag `found_inf` ([1], 0 or 1) is set. `gradients` are
  /// in the model's order, `values` one a group.
  void step(const std::vector<at::Tensor>& gradients, std::span<const StepValues> values, const at::Tensor& found_inf);

  /// State by its name in a checkpoint, `<parameter>.<torch state key>`, parameter by parameter.
  std::vector<std::pair<std::string, at::Tensor>> state() const;

  /// Whether a real step has been done since the start.
  bool started() const;
  /// See Optimizer.
  void reread(bool started);

  bool state_before_start() const;

 private:
  struct Group {
    std::vector<size_t> places;            // of its parameters among the trainable ones
    std::unique_ptr<Optimizer> optimizer;  // none for a group without parameters
  };
  std::vector<std::string> names_;
  std::vector<Group> groups_;
};

}  // namespace gradloom
