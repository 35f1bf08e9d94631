// Hands each group its parameters, gradients and values.
#include "core/optimizers/groups.h"

#include <map>

#include "core/errors.h"

namespace gradloom {

namespace {

KindPlan with_weight_decay(const KindPlan& optimizer, const GroupPlan& group) {
  if (!group.weight_decay) return optimizer;
  return {optimizer.kind, optimizer.args.with("weight_decay", *group.weight_decay)};
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error("BAD_CALL", "In the plan's parameter groups " + name + " " + what + ".",
              "Plan the project again with this version.", "groups");
}

}  // namespace

ParameterGroups::ParameterGroups(const Plan& plan, const std::vector<ModelTensor>& trainable) {
  std::map<std::string, size_t> places;
  std::vector<at::Tensor> all;
  for (const ModelTensor& entry : trainable) {
    places[entry.name] = all.size();
    names_.push_back(entry.name);
    all.push_back(entry.tensor);
  }
  if (plan.groups.empty()) {
    Group group;
    for (size_t i = 0; i < all.size(); ++i) group.places.push_back(i);
    if (!all.empty()) group.optimizer = build_optimizer(plan.optimizer, all);
    groups_.push_back(std::move(group));
    return;
  }
  for (const GroupPlan& planned : plan.groups) {
    Group group;
    std::vector<at::Tensor> parameters;
    for (const std::string& name : planned.tensors) {
      const auto place = places.find(name);
      if (place == places.end()) refuse(name, "is no parameter that trains, or stands twice");
      group.places.push_back(place->second);
      parameters.push_back(all[place->second]);
      places.erase(place);
    }
    if (!parameters.empty())
      group.optimizer = build_optimizer(with_weight_decay(plan.optimizer, planned), std::move(parameters));
    groups_.push_back(std::move(group));
  }
  if (!places.empty()) refuse(places.begin()->first, "is missing");
}

void ParameterGroups::step(const std::vector<at::Tensor>& gradients, std::span<const StepValues> values,
                           const at::Tensor& found_inf) {
  for (size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    if (!group.optimizer) continue;
    std::vector<at::Tensor> own;
    for (const size_t place : group.places) own.push_back(gradients[place]);
    group.optimizer->step(own, values[g], found_inf);
  }
}

std::vector<std::pair<std::string, at::Tensor>> ParameterGroups::state() const {
  std::vector<std::vector<std::pair<std::string, at::Tensor>>> by_parameter(names_.size());
  for (const Group& group : groups_) {
    if (!group.optimizer) continue;
    for (const StateColumn& column : group.optimizer->state()) {
      for (size_t i = 0; i < group.places.size(); ++i) {
        const size_t place = group.places[i];
        if (!column.tensors[i].defined()) continue;
        by_parameter[place].emplace_back(names_[place] + "." + column.key, column.tensors[i]);
      }
    }
  }
  std::vector<std::pair<std::string, at::Tensor>> result;
  for (auto& entries : by_parameter) result.insert(result.end(), entries.begin(), entries.end());
  return result;
}

bool ParameterGroups::started() const {
  for (const Group& group : groups_) {
    if (group.optimizer) return group.optimizer->started();
  }
  return false;
}

void ParameterGroups::reread(bool started) {
  for (const Group& group : groups_) {
    if (group.optimizer) group.optimizer->reread(started);
  }
}

bool ParameterGroups::state_before_start() const {
  for (const Group& group : groups_) {
    if (group.optimizer) return group.optimizer->state_before_start();
  }
  return true;
}

}  // namespace gradloom
