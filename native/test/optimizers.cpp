// Optimizers where the host does not know whether a step is real, as on a GPU: the same bits as where it does.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <limits>

#include "core/optimizers/flat.h"
#include "core/optimizers/optimizer.h"
#include "test.h"

namespace gradloom::test {

namespace {

using nlohmann::json;

/// Arguments with which a kind keeps all the state that it can.
json arguments(std::string_view kind) {
  const json adam = {
      {"betas", {0.9, 0.999}}, {"eps", 1e-8}, {"weight_decay", 0.1}, {"amsgrad", true}, {"maximize", true}};
  const json all = {
      {"SGD", {{"momentum", 0.9}, {"dampening", 0.1}, {"weight_decay", 0.1}, {"nesterov", false}, {"maximize", true}}},
      {"Adam", adam},
      {"AdamW", adam},
      {"NAdam",
       {{"betas", {0.9, 0.99}},
        {"eps", 1e-8},
        {"weight_decay", 0.1},
        {"momentum_decay", 0.1},
        {"decoupled_weight_decay", true},
        {"maximize", true}}},
      {"RAdam",
       {{"betas", {0.9, 0.7}},
        {"eps", 1e-8},
        {"weight_decay", 0.1},
        {"decoupled_weight_decay", false},
        {"maximize", false}}},
      {"Adamax", {{"betas", {0.9, 0.99}}, {"eps", 1e-8}, {"weight_decay", 0.1}, {"maximize", false}}},
      {"Adagrad",
       {{"lr_decay", 0.1},
        {"weight_decay", 0.1},
        {"initial_accumulator_value", 0.1},
        {"eps", 1e-8},
        {"maximize", false}}},
      {"Adadelta", {{"rho", 0.9}, {"eps", 1e-6}, {"weight_decay", 0.1}, {"maximize", false}}},
      {"RMSprop",
       {{"alpha", 0.9},
        {"eps", 1e-3},
        {"weight_decay", 0.1},
        {"momentum", 0.5},
        {"centered", true},
        {"maximize", false}}},
      {"Rprop", {{"etas", {0.5, 1.2}}, {"step_sizes", {1e-6, 50}}, {"maximize", false}}},
      {"ASGD", {{"lambd", 0.1}, {"alpha", 0.75}, {"t0", 1}, {"weight_decay", 0.1}, {"maximize", false}}},
      {"Adafactor",
       {{"beta2_decay", -0.8}, {"eps", {1e-7, 1e-3}}, {"d", 1}, {"weight_decay", 0.1}, {"maximize", false}}},
      {"Muon",
       {{"weight_decay", 0.1},
        {"momentum", 0.9},
        {"nesterov", true},
        {"ns_coefficients", {3.4445, -4.775, 2.0315}},
        {"eps", 1e-7},
        {"ns_steps", 5},
        {"adjust_lr_fn", nullptr},
        {"adamw_lr", 0.01},
        {"adamw_betas", {0.9, 0.95}},
        {"adamw_eps", 1e-8},
        {"adamw_weight_decay", 0}}},
  };
  json found = all.at(std::string(kind));
  found["lr"] = 0.01;
  return found;
}

/// Numbers that look random and never change.
at::Tensor numbers(at::IntArrayRef shape, double phase) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return at::arange(count, at::kFloat).add(phase).mul(12.9898).sin().mul(43758.5453).frac().reshape(shape);
}

struct Trial {
  std::vector<at::Tensor> parameters;
  std::unique_ptr<Optimizer> optimizer;

  Trial(std::string_view kind, const std::vector<std::vector<int64_t>>& shapes) {
    for (const auto& shape : shapes) parameters.push_back(numbers(shape, 0.5));
    optimizer = build_optimizer({std::string(kind), Args(arguments(kind), "optimizer")}, parameters);
  }

  void step(double phase, bool finite) {
    const at::NoGradGuard no_grad;
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : parameters) gradients.push_back(numbers(parameter.sizes(), phase));
    if (!finite) gradients.front().flatten()[0] = std::numeric_limits<double>::quiet_NaN();
    optimizer->step(gradients, {0.01 + phase / 1000, {}, {}}, at::full({1}, finite ? 0 : 1, at::kFloat));
  }

  std::vector<at::Tensor> tensors() const {
    std::vector<at::Tensor> all = parameters;
    for (const StateColumn& column : optimizer->state()) {
      for (const at::Tensor& tensor : column.tensors) {
        if (tensor.defined()) all.push_back(tensor);
      }
    }
    return all;
  }
};

void check_equal(const Trial& a, const Trial& b, const std::string& what) {
  const auto left = a.tensors();
  const auto right = b.tensors();
  check(left.size() == right.size(), what + ": other tensors");
  for (size_t i = 0; i < left.size(); ++i) check(at::equal(left[i], right[i]), what + ": tensor " + std::to_string(i));
}

void run(std::string_view kind, const std::vector<std::vector<int64_t>>& shapes) {
  Trial known(kind, shapes);
  Trial unknown(kind, shapes);
  const std::string name(kind);
  const auto both = [&](double phase) {
    known.step(phase, true);
    FlatOptimizer::flag_stays_on_device = true;
    unknown.step(phase, true);
    FlatOptimizer::flag_stays_on_device = false;
    check_equal(known, unknown, name + " after step " + std::to_string(phase));
  };
  for (const double phase : {1, 2, 3}) both(phase);
  // As in a chunk: void steps, then what the host keeps is read again.
  FlatOptimizer::flag_stays_on_device = true;
  unknown.step(4, false);
  unknown.step(5, false);
  FlatOptimizer::flag_stays_on_device = false;
  unknown.optimizer->reread(true);
  check_equal(known, unknown, name + " after void steps");
  for (const double phase : {6, 7}) both(phase);
}

void flag_on_the_device() {
  for (const OptimizerKind& kind : optimizer_kinds()) {
    if (kind.kind == "Muon") {
      run(kind.kind, {{5, 7}, {9, 4}});
      run(kind.kind, {{7}, {3, 2, 2, 2}});
    } else {
      run(kind.kind, {{3, 2, 2, 2}, {3}, {5, 7}, {40}});
    }
  }
}

constexpr Case cases[] = {
    {"optimizers give the same bits where the flag stays on the device, and nothing of a void step",
     flag_on_the_device},
};

}  // namespace

std::span<const Case> optimizer_cases() {
  return cases;
}

}  // namespace gradloom::test
