// Adam's second moment in rows and columns instead of values, as torch.optim.Adafactor.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/optimizers/families.h"
#include "core/optimizers/flat.h"

namespace gradloom {

namespace {

class Adafactor final : public FlatOptimizer {
 public:
  Adafactor(const Args& args, std::vector<at::Tensor> parameters)
      : FlatOptimizer(args, std::move(parameters)),
        beta2_decay_(args.number("beta2_decay")),
        eps_(args.numbers("eps")),
        d_(args.number("d")) {
    add_steps();
    add_factors("row_var", -1, rows_);
    add_factors("col_var", -2, columns_of_);
    add_factors("variance", 0, whole_);
  }

 private:
  /// One state key for the parameters that have it; `places_` says where among them a parameter's tensor is.
  struct Factors {
    Flat flat;
    std::vector<std::optional<size_t>> places;
  };

  /// `dim`: what is reduced to 1 in parameters of two dimensions and more; 0: the key is that of the others.
  void add_factors(const std::string& key, int64_t dim, Factors& factors) {
    std::vector<at::Tensor> shapes;
    for (const at::Tensor& parameter : parameters_) {
      const bool has = (parameter.dim() > 1) == (dim != 0);
      factors.places.push_back(has ? std::optional(shapes.size()) : std::nullopt);
      if (!has) continue;
      std::vector<int64_t> sizes = parameter.sizes().vec();
      if (dim != 0) sizes[sizes.size() - static_cast<size_t>(-dim)] = 1;
      shapes.push_back(at::empty(sizes, weights_.all.options()));
    }
    if (shapes.empty()) return;
    factors.flat = Flat::like(shapes, 0);
    StateColumn column{key, {}};
    for (const auto& place : factors.places)
      column.tensors.push_back(place ? factors.flat.parts[*place] : at::Tensor());
    columns_.push_back(std::move(column));
  }

  /// A draft with its parts; nothing for a key that no parameter has.
  Flat parts_of(const Flat& flat) const { return flat.all.defined() ? flat.of(draft(flat)) : Flat(); }

  void update(const Flat& gradient, const StepValues& values) override {
    const double lr = values.lr;
    const double decay = weight_decay(values);
    const double share = std::pow(number(), beta2_decay_);
    const double rho = std::min(lr, 1 / std::sqrt(number()));
    // Host numbers in torch; on the device nobody waits for them. Of the weights before they decay.
    std::vector<at::Tensor> sizes;
    for (const at::Tensor& weight : weights_.parts) {
      sizes.push_back(
          at::norm(weight).div_(std::sqrt(static_cast<double>(weight.numel()))).clamp_min_(eps_.at(1)).mul_(rho));
    }
    const Flat weights = parts_of(weights_);
    if (decay != 0) weights.all.mul_(1 - lr * decay);
    const Flat rows = parts_of(rows_.flat);
    const Flat columns = parts_of(columns_of_.flat);
    const Flat whole = parts_of(whole_.flat);
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const at::Tensor& grad = gradient.parts[i];
      const double root = std::sqrt(static_cast<double>(grad.numel()));
      at::Tensor change;
      if (rows_.places[i]) {
        const at::Tensor row = rows.parts[*rows_.places[i]].lerp_(mean_square(grad, -1), share);
        const at::Tensor column = columns.parts[*columns_of_.places[i]].lerp_(mean_square(grad, -2), share);
        change = at::matmul(row, column).div_(row.mean({-2}, true).clamp_min_(eps_.at(0)));
      } else {
        change = whole.parts[*whole_.places[i]].lerp_(grad * grad, share).clone();
      }
      change.clamp_min_(eps_.at(0) * eps_.at(0)).rsqrt_().mul_(grad);
      const at::Tensor excess = at::norm(change).div_(root * d_).clamp_min_(1);
      weights.parts[i].addcmul_(change, sizes[i].div_(excess), -1);
    }
    set(weights_, weights.all);
    if (rows.all.defined()) set(rows_.flat, rows.all);
    if (columns.all.defined()) set(columns_of_.flat, columns.all);
    if (whole.all.defined()) set(whole_.flat, whole.all);
  }

  static at::Tensor mean_square(const at::Tensor& grad, int64_t dim) {
    return at::linalg_vector_norm(grad, 2, {dim}, /*keepdim=*/true).square_().div_(grad.size(dim));
  }

  double beta2_decay_;
  std::vector<double> eps_;
  double d_;
  Factors rows_;
  Factors columns_of_;
  Factors whole_;
};

}  // namespace

std::unique_ptr<Optimizer> build_adafactor(const Args& args, std::vector<at::Tensor> parameters) {
  return std::make_unique<Adafactor>(args, std::move(parameters));
}

}  // namespace gradloom
