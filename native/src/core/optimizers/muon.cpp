// Momentum made orthogonal, for matrices, as torch.optim.Muon; all other parameters take AdamW, as the method's author
// does it.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "core/optimizers/families.h"
#include "core/optimizers/flat.h"

namespace gradloom {

namespace {

class Muon final : public FlatOptimizer {
 public:
  Muon(const Args& args, std::vector<at::Tensor> parameters)
      : FlatOptimizer(args, std::move(parameters)),
        momentum_(args.number("momentum")),
        nesterov_(args.flag("nesterov")),
        coefficients_(args.numbers("ns_coefficients")),
        eps_(args.number("eps")),
        iterations_(args.integer("ns_steps")),
        adjust_(args.absent("adjust_lr_fn") ? "original" : args.string("adjust_lr_fn")) {
    momentum_buffer_ = add_state("momentum_buffer");
  }

 private:
  void update(const Flat& gradient, const StepValues& values) override {
    const double momentum = values.momentum.value_or(momentum_);
    const at::Tensor buffer = draft(momentum_buffer_).lerp_(gradient.all, 1 - momentum);
    const Flat direction = weights_.of(nesterov_ ? gradient.all.lerp(buffer, momentum) : buffer);
    const Flat weights = weights_.of(draft(weights_).mul_(1 - values.lr * weight_decay(values)));
    for (size_t i = 0; i < parameters_.size(); ++i) {
      weights.parts[i].add_(orthogonal(direction.parts[i]), -values.lr * ratio(parameters_[i]));
    }
    set(weights_, weights.all);
    set(momentum_buffer_, buffer);
  }

  /// The nearest matrix without scale, nearly, by Newton and Schulz in bfloat16.
  at::Tensor orthogonal(const at::Tensor& matrix) const {
    const bool tall = matrix.size(0) > matrix.size(1);
    at::Tensor x = matrix.to(at::kBFloat16, /*non_blocking=*/false, /*copy=*/true);
    if (tall) x = x.t();
    x.div_(x.norm().clamp_min_(eps_));
    for (int64_t i = 0; i < iterations_; ++i) {
      const at::Tensor gram = at::matmul(x, x.t());
      const at::Tensor change = at::addmm(gram, gram, gram, coefficients_.at(1), coefficients_.at(2));
      x = at::addmm(x, change, x, coefficients_.at(0));
    }
    return tall ? x.t() : x;
  }

  /// torch's adjustment of the learning rate to a matrix's shape.
  double ratio(const at::Tensor& matrix) const {
    const auto rows = static_cast<double>(matrix.size(0));
    const auto columns = static_cast<double>(matrix.size(1));
    if (adjust_ == "match_rms_adamw") return 0.2 * std::sqrt(std::max(rows, columns));
    if (adjust_ == "spectral_unclamped") return std::sqrt(rows / columns);
    return std::sqrt(std::max(1.0, rows / columns));
  }

  double momentum_;
  bool nesterov_;
  std::vector<double> coefficients_;
  double eps_;
  int64_t iterations_;
  std::string adjust_;
  Flat momentum_buffer_;
};

}  // namespace

std::unique_ptr<Optimizer> build_muon(const Args& args, std::vector<at::Tensor> parameters) {
  const auto matrices = std::count_if(parameters.begin(), parameters.end(), [](const auto& p) { return p.dim() == 2; });
  if (matrices == static_cast<std::ptrdiff_t>(parameters.size()))
    return std::make_unique<Muon>(args, std::move(parameters));
  if (matrices == 0) {
    return build_adamw({args.numbers("adamw_betas"), args.number("adamw_eps"), args.number("weight_decay")},
                       std::move(parameters));
  }
  throw Error("BAD_CALL", "A parameter group of Muon holds matrices and other parameters.",
              "Plan the project again with this version.", "groups");
}

}  // namespace gradloom
