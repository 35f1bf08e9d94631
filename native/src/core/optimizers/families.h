// The build functions behind the optimizer table.
#pragma once

#include "core/optimizers/optimizer.h"

namespace gradloom {

std::unique_ptr<Optimizer> build_sgd(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_adam(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_adamw(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_nadam(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_radam(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_adamax(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_adagrad(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_adadelta(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_rmsprop(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_rprop(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_asgd(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_adafactor(const Args&, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> build_muon(const Args&, std::vector<at::Tensor> parameters);

struct AdamArgs {
  std::vector<double> betas;
  double eps;
  double weight_decay;
  bool amsgrad = false;
  bool maximize = false;
};
std::unique_ptr<Optimizer> build_adamw(AdamArgs, std::vector<at::Tensor> parameters);

}  // namespace gradloom
