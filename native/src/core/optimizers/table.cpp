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
