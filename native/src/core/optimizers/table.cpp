// The optimizer table itself. To add a kind: a row here, its build function, and its row in
// engine/contract/optimizers.ts.
#include "core/errors.h"
#include "core/optimizers/families.h"

namespace gradloom {

namespace {

constexpr OptimizerKind kinds[] = {
    {"SGD", {"lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize"}, build_sgd},
    {"Adam", {"lr", "betas", "eps", "weight_decay", "amsgrad", "maximize"}, build_adam},
    {"AdamW", {"lr", "betas", "eps", "weight_decay", "amsgrad", "maximize"}, build_adamw},
    {"NAdam",
     {"lr", "betas", "eps", "weight_decay", "momentum_decay", "decoupled_weight_decay", "maximize"},
     build_nadam},
    {"RAdam", {"lr", "betas", "eps", "weight_decay", "decoupled_weight_decay", "maximize"}, build_radam},
    {"Adamax", {"lr", "betas", "eps", "weight_decay", "maximize"}, build_adamax},
    {"Adagrad", {"lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps", "maximize"}, build_adagrad},
    {"Adadelta", {"lr", "rho", "eps", "weight_decay", "maximize"}, build_adadelta},
    {"RMSprop", {"lr", "alpha", "eps", "weight_decay", "momentum", "centered", "maximize"}, build_rmsprop},
    {"Rprop", {"lr", "etas", "step_sizes", "maximize"}, build_rprop},
    {"ASGD", {"lr", "lambd", "alpha", "t0", "weight_decay", "maximize"}, build_asgd},
    {"Adafactor", {"lr", "beta2_decay", "eps", "d", "weight_decay", "maximize"}, build_adafactor},
    {"Muon",
     {"lr", "weight_decay", "momentum", "nesterov", "ns_coefficients", "eps", "ns_steps", "adjust_lr_fn", "adamw_lr",
      "adamw_betas", "adamw_eps", "adamw_weight_decay"},
     build_muon},
};

}  // namespace

std::span<const OptimizerKind> optimizer_kinds() {
  return kinds;
}

std::unique_ptr<Optimizer> build_optimizer(const KindPlan& plan, std::vector<at::Tensor> parameters) {
  for (const OptimizerKind& row : kinds) {
    if (row.kind == plan.kind) return row.build(plan.args, std::move(parameters));
  }
  throw Error("NOT_SUPPORTED", "The engine has no optimizer " + plan.kind + ".",
              "Update Gradloom, or use another kind.", "training.optimizer");
}

}  // namespace gradloom
