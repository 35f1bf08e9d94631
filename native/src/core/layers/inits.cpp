// torch.nn.init, draw by draw: the same calls in the same order on the same generator give Python's weights.
#include "core/layers/inits.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "core/errors.h"

namespace gradloom {

namespace {

struct Fans {
  double in;
  double out;
};

Fans fans(const at::Tensor& values) {
  if (values.dim() < 2)
    throw Error("BAD_CALL", "Fans are counted over two or more dimensions.", "Plan the project again.", "inits");
  double field = 1;
  for (int64_t i = 2; i < values.dim(); ++i) field *= static_cast<double>(values.size(i));
  return {static_cast<double>(values.size(1)) * field, static_cast<double>(values.size(0)) * field};
}

/// torch.nn.init.calculate_gain.
double gain_of(const std::string& nonlinearity, double slope) {
  if (nonlinearity == "tanh") return 5.0 / 3;
  if (nonlinearity == "relu") return std::sqrt(2.0);
  if (nonlinearity == "leaky_relu") return std::sqrt(2.0 / (1 + slope * slope));
  if (nonlinearity == "selu") return 3.0 / 4;
  return 1;  // linear, convolutions, sigmoid
}

double xavier_std(const at::Tensor& values, const Args& args) {
  const Fans fan = fans(values);
  return args.number("gain") * std::sqrt(2.0 / (fan.in + fan.out));
}

double kaiming_std(const at::Tensor& values, const Args& args) {
  const Fans fan = fans(values);
  return gain_of(args.string("nonlinearity"), args.number("a")) /
         std::sqrt(args.string("mode") == "fan_out" ? fan.out : fan.in);
}

void zeros(at::Tensor& values, const Args&) {
  values.zero_();
}
void ones(at::Tensor& values, const Args&) {
  values.fill_(1.0);
}
void constant(at::Tensor& values, const Args& args) {
  values.fill_(args.number("val"));
}
void uniform(at::Tensor& values, const Args& args) {
  values.uniform_(args.number("a"), args.number("b"));
}
void normal(at::Tensor& values, const Args& args) {
  values.normal_(args.number("mean"), args.number("std"));
}

void xavier_uniform(at::Tensor& values, const Args& args) {
  const double bound = std::sqrt(3.0) * xavier_std(values, args);
  values.uniform_(-bound, bound);
}
void xavier_normal(at::Tensor& values, const Args& args) {
  values.normal_(0, xavier_std(values, args));
}
void kaiming_uniform(at::Tensor& values, const Args& args) {
  const double bound = std::sqrt(3.0) * kaiming_std(values, args);
  values.uniform_(-bound, bound);
}
void kaiming_normal(at::Tensor& values, const Args& args) {
  values.normal_(0, kaiming_std(values, args));
}

double normal_cdf(double x) {
  return (1.0 + std::erf(x / std::sqrt(2.0))) / 2.0;
}

/// What is out of bounds is drawn again; each round draws the whole tensor, as PyTorch's does.
void redraw_normal(at::Tensor& values, double mean, double std, double a, double b) {
  const double low = static_cast<float>(a);
  const double high = static_cast<float>(b);
  values.normal_(mean, std);
  for (;;) {
    const at::Tensor outside = values.lt(low).logical_or(values.gt(high));
    if (!outside.any().item<bool>()) return;
    values.copy_(at::where(outside, at::empty_like(values).normal_(mean, std), values));
  }
}

/// Bounds far out in a tail: uniform draws, taken with the density's probability.
void reject_uniform(at::Tensor& values, double mean, double std, double a, double b) {
  const double mode = std::max(a, std::min(mean, b));
  const double peak = -0.5 * std::pow((mode - mean) / std, 2);
  at::Tensor drawn = at::empty_like(values);
  at::Tensor chance = at::empty_like(values);
  const auto refused = [&] {
    drawn.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak);
    return chance.uniform_().log_().gt(drawn);
  };
  values.uniform_(a, b);
  drawn.copy_(values);
  at::Tensor pending = refused();
  while (pending.any().item<bool>()) {
    drawn.uniform_(a, b);
    values.copy_(at::where(pending, drawn, values));
    pending = at::where(pending, refused(), pending);
  }
}

void trunc_normal(at::Tensor& values, const Args& args) {
  const double mean = args.number("mean");
  const double std = args.number("std");
  const double a = args.number("a");
  const double b = args.number("b");
  const double inside = normal_cdf((b - mean) / std) - normal_cdf((a - mean) / std);
  if (inside > 0.3) {
    redraw_normal(values, mean, std, a, b);
  } else {
    reject_uniform(values, mean, std, a, b);
  }
}

void orthogonal(at::Tensor& values, const Args& args) {
  const int64_t rows = values.size(0);
  const int64_t columns = values.numel() / rows;
  at::Tensor flat = at::empty({rows, columns}, values.options()).normal_(0, 1);
  if (rows < columns) flat = flat.t();
  auto [q, r] = at::linalg_qr(flat);
  q.mul_(at::diag(r, 0).sign());
  if (rows < columns) q = q.t();
  values.copy_(q.reshape(values.sizes())).mul_(args.number("gain"));
}

void sparse(at::Tensor& values, const Args& args) {
  const int64_t rows = values.size(0);
  const auto zero = static_cast<int64_t>(std::ceil(args.number("sparsity") * static_cast<double>(rows)));
  values.normal_(0, args.number("std"));
  for (int64_t column = 0; column < values.size(1); ++column) {
    const at::Tensor order = at::randperm(rows, at::kLong);
    values.select(1, column).index_fill_(0, order.narrow(0, 0, zero), 0);
  }
}

constexpr InitKind kinds[] = {
    {"zeros", {}, zeros},
    {"ones", {}, ones},
    {"constant", {"val"}, constant},
    {"uniform", {"a", "b"}, uniform},
    {"normal", {"mean", "std"}, normal},
    {"trunc_normal", {"mean", "std", "a", "b"}, trunc_normal},
    {"xavier_uniform", {"gain"}, xavier_uniform},
    {"xavier_normal", {"gain"}, xavier_normal},
    {"kaiming_uniform", {"a", "mode", "nonlinearity"}, kaiming_uniform},
    {"kaiming_normal", {"a", "mode", "nonlinearity"}, kaiming_normal},
    {"orthogonal", {"gain"}, orthogonal},
    {"sparse", {"sparsity", "std"}, sparse},
};

}  // namespace

std::span<const InitKind> init_kinds() {
  return kinds;
}

void apply_inits(const std::vector<InitPlan>& inits, const Model& model) {
  const at::NoGradGuard no_grad;
  for (const InitPlan& init : inits) {
    const auto* const row =
        std::find_if(std::begin(kinds), std::end(kinds), [&](const InitKind& each) { return each.kind == init.kind; });
    if (row == std::end(kinds))
      throw Error("NOT_SUPPORTED", "The engine has no initialisation " + init.kind + ".", "Update Gradloom.", "inits");
    const auto& tensors = model.tensors();
    const auto found =
        std::find_if(tensors.begin(), tensors.end(), [&](const ModelTensor& each) { return each.name == init.tensor; });
    if (found == tensors.end())
      throw Error("BAD_CALL", "There is no tensor " + init.tensor + " to initialise.", "Plan the project again.", "inits");
    // On the CPU and in plain layout, whatever the model's: the draws are Python's.
    at::Tensor values = at::empty(found->tensor.sizes(), at::kFloat);
    row->fill(values, init.args);
    at::Tensor(found->tensor).copy_(values);
  }
}

}  // namespace gradloom
