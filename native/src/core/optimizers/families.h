// The build functions behind the optimizer table.
#pragma once

#include "core/optimizers/optimizer.h"

namespace gradloom {

std::unique_ptr<Optimizer> build_sgd(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_adam(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_adamw(const Args&, std::vector<at::Tensor> parameters);

}  // namespace gradloom
