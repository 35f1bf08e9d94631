// The table of initialisations, one row a function of torch.nn.init, and their application to a built model.
#pragma once

#include <ATen/core/TensorBody.h>

#include <span>
#include <string_view>
#include <vector>

#include "core/model/model.h"
#include "core/names.h"
#include "core/plan.h"

namespace gradloom {

struct InitKind {
  std::string_view kind;
  Names arguments;
  /// Fills a contiguous float tensor on the CPU from the default generator.
  void (*fill)(at::Tensor& values, const Args& args);
};

std::span<const InitKind> init_kinds();

/// In the plan's order, after the whole model has drawn PyTorch's own values: what Python draws that builds the
/// Sequential and then calls torch.nn.init for one tensor after the other. Throws NOT_SUPPORTED, BAD_CALL.
void apply_inits(const std::vector<InitPlan>& inits, const Model& model);

}  // namespace gradloom
