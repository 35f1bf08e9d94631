// Storage of the vectors, and what all kinds do around their rule.
#include "core/optimizers/flat.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace gradloom {

namespace {

/// Each part starts at a multiple of this many elements, as kernels like it.
constexpr int64_t alignment = 16;

int64_t room(const at::Tensor& part) {
  return (part.numel() + alignment - 1) / alignment * alignment;
}

}  // namespace

Flat Flat::like(at::TensorList tensors, double value) {
  int64_t total = 0;
  for (const at::Tensor& tensor : tensors) total += room(tensor);
  Flat flat{at::full({total}, value, tensors.front().options().requires_grad(false)), {}};
  int64_t offset = 0;
  for (const at::Tensor& tensor : tensors) {
    flat.parts.push_back(flat.all.as_strided(tensor.sizes(), tensor.strides(), offset));
    offset += room(tensor);
  }
  return flat;
}

Flat Flat::of(const at::Tensor& other) const {
  Flat flat{other, {}};
  for (const at::Tensor& part : parts)
    flat.parts.push_back(other.as_strided(part.sizes(), part.strides(), part.storage_offset()));
  return flat;
}

bool FlatOptimizer::flag_stays_on_device = false;

FlatOptimizer::FlatOptimizer(const Args& args, std::vector<at::Tensor> parameters)
    : Optimizer(std::move(parameters)),
      maximize_(!args.absent("maximize") && args.flag("maximize")),
      weight_decay_(args.absent("weight_decay") ? 0 : args.number("weight_decay")) {
  const at::NoGradGuard no_grad;
  weights_ = Flat::like(parameters_, 0);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    weights_.parts[i].copy_(parameters_[i]);
    parameters_[i].set_data(weights_.parts[i]);
  }
}

Flat FlatOptimizer::add_state(const std::string& key, double value) {
  return add_state(key, parameters_, value);
}

Flat FlatOptimizer::add_state(const std::string& key, at::TensorList shapes, double value) {
  const at::NoGradGuard no_grad;
  Flat flat = Flat::like(shapes, value);
  columns_.push_back({key, flat.parts});
  return flat;
}

at::Tensor FlatOptimizer::add_number(const std::string& key, double value) {
  const at::Tensor numbers = at::full({static_cast<int64_t>(parameters_.size())}, value, weights_.all.options());
  columns_.push_back({key, numbers.unbind()});
  return numbers;
}

void FlatOptimizer::set(const at::Tensor& target, const at::Tensor& value) const {
  at::Tensor out = target;
  if (!real_) {
    at::where_out(out, void_, target, value);
  } else if (!value.is_same(target)) {
    out.copy_(value);
  }
}

void FlatOptimizer::set(const at::Tensor& target, double value) const {
  set(target, at::full({}, value, target.options()));
}

void FlatOptimizer::add_l2(const Flat& gradient, double decay) const {
  if (decay != 0) at::Tensor(gradient.all).add_(weights_.all, decay);
}

void FlatOptimizer::step(at::TensorList gradients, const StepValues& values, const at::Tensor& found_inf) {
  real_ = found_inf.is_cpu() && !flag_stays_on_device;
  if (real_ && found_inf.item<float>() != 0) return;
  const Flat gradient = weights_.of(at::zeros_like(weights_.all));
  at::_foreach_copy_(gradient.parts, gradients);
  if (maximize_) at::Tensor(gradient.all).neg_();
  void_ = found_inf.to(at::kBool);
  ++number_;
  if (steps_.defined()) set(steps_, number_);
  update(gradient, values);
  started_ = true;
}

void FlatOptimizer::reread(bool started) {
  Optimizer::reread(started);
  if (steps_.defined()) number_ = steps_.select(0, 0).item<double>();
}

}  // namespace gradloom
