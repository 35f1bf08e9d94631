// The losses' table. To add a kind: a class in its family's file, a row here, and its row in engine/contract/losses.ts.
#include <ATen/ATen.h>

#include "core/errors.h"
#include "core/losses/families.h"

namespace gradloom {

namespace {

constexpr LossKind kinds[] = {
    {"CrossEntropyLoss", {"weight", "ignore_index", "label_smoothing"}, build_cross_entropy},
    {"NLLLoss", {"weight", "ignore_index"}, build_nll},
    {"MultiMarginLoss", {"p", "margin", "weight"}, build_multi_margin},
    {"BCEWithLogitsLoss", {"weight", "pos_weight"}, build_bce_with_logits},
    {"BCELoss", {"weight"}, build_bce},
    {"MSELoss", {}, build_mse},
    {"L1Loss", {}, build_l1},
    {"SmoothL1Loss", {"beta"}, build_smooth_l1},
    {"HuberLoss", {"delta"}, build_huber},
    {"KLDivLoss", {"reduction", "log_target"}, build_kl_div},
    {"PoissonNLLLoss", {"log_input", "full", "eps"}, build_poisson_nll},
    {"GaussianNLLLoss", {"full", "eps"}, build_gaussian_nll},
};

}  // namespace

at::Tensor align(const at::Tensor& output, Target target) {
  return target == Target::next_token ? output.movedim(-1, 1) : output;
}

at::Tensor in_own_order(const at::Tensor& aligned, Target target) {
  return target == Target::next_token ? aligned.movedim(1, -1) : aligned;
}

at::Tensor weights_of(const Args& args, std::string_view name, c10::Device device) {
  if (args.absent(name)) return {};
  return at::tensor(args.numbers(name), at::kDouble).to(at::kFloat).to(device);
}

std::span<const LossKind> loss_kinds() {
  return kinds;
}

std::unique_ptr<Loss> build_loss(const KindPlan& plan, c10::Device device) {
  for (const LossKind& row : kinds) {
    if (row.kind == plan.kind) return row.build(plan.args, device);
  }
  throw Error("NOT_SUPPORTED", "The engine has no loss " + plan.kind + ".", "Update Gradloom, or use another kind.",
              "training.loss");
}

}  // namespace gradloom
