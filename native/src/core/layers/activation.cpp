// Activations. Those whose gradient needs only their result overwrite their input where nobody else reads it, if PyTorch
// has them so: others (hardtanh_) keep a copy of what they overwrite.
#include <ATen/ATen.h>

#include "core/layers/layout.h"
#include "core/layers/table.h"
#include "core/layers/max_pool_args.h"

namespace gradloom {

namespace {

/// `overwrite` gives the same values as `apply`, in the input's memory.
template <typename Apply, typename Overwrite>
Forward activation(const Builder& build, Apply apply, Overwrite overwrite) {
  return [owns = build.owns_input(), apply, overwrite](const at::Tensor& input, const Pass& pass) {
    if (!owns || !pass.in_place) return apply(input);
    at::Tensor result = input;
    return overwrite(result);
  };
}

template <typename Apply>
Forward plainly(Apply apply) {
  return [apply](const at::Tensor& input, const Pass&) { return apply(input); };
}

/// A kind without arguments.
template <at::Tensor (*function)(const at::Tensor&)>
Forward build_of(Builder&) {
  return plainly(function);
}

Forward build_relu(Builder& build) {
  // After the pooling that follows, ReLU has a fraction of the elements. Values and gradients are equal: a window's
  // maximum is positive in both orders or in neither, its place is the same where it is, and no gradient passes where
  // it is not.
  if (!build.following().empty() && build.following()[0].kind == "MaxPool2d") {
    const MaxPoolArgs pool = max_pool_args(build.following()[0].args);
    if (pool.dense())
      build.run_together(2, [pool](const at::Tensor& x, const Pass&) { return run_max_pool(x, pool, true); });
  }
  return activation(build, [](const at::Tensor& x) { return at::relu(x); }, [](at::Tensor& x) { return at::relu_(x); });
}

Forward build_leaky_relu(Builder& build) {
  const double slope = build.args().number("negative_slope");
  const auto apply = [slope](const at::Tensor& x) { return at::leaky_relu(x, slope); };
  // From the result alone the sign of the input is known only with a slope that is not negative.
  if (slope < 0) return plainly(apply);
  return activation(build, apply, [slope](at::Tensor& x) { return at::leaky_relu_(x, slope); });
}

Forward build_gelu(Builder& build) {
  return plainly([approximate = build.args().string("approximate")](const at::Tensor& x) {
    return at::gelu(x, approximate);
  });
}

Forward build_sigmoid(Builder& build) {
  return activation(
      build, [](const at::Tensor& x) { return at::sigmoid(x); }, [](at::Tensor& x) { return at::sigmoid_(x); });
}

Forward build_tanh(Builder& build) {
  return activation(build, [](const at::Tensor& x) { return at::tanh(x); }, [](at::Tensor& x) { return at::tanh_(x); });
}

Forward build_hardtanh(Builder& build) {
  return plainly([min = build.args().number("min_val"), max = build.args().number("max_val")](const at::Tensor& x) {
    return at::hardtanh(x, min, max);
  });
}

Forward build_elu(Builder& build) {
  return plainly([alpha = build.args().number("alpha")](const at::Tensor& x) { return at::elu(x, alpha); });
}

Forward build_celu(Builder& build) {
  return plainly([alpha = build.args().number("alpha")](const at::Tensor& x) { return at::celu(x, alpha); });
}

Forward build_hardshrink(Builder& build) {
  return plainly([lambd = build.args().number("lambd")](const at::Tensor& x) { return at::hardshrink(x, lambd); });
}

Forward build_softshrink(Builder& build) {
  return plainly([lambd = build.args().number("lambd")](const at::Tensor& x) { return at::softshrink(x, lambd); });
}

Forward build_softplus(Builder& build) {
  return plainly([beta = build.args().number("beta"), threshold = build.args().number("threshold")](
                     const at::Tensor& x) { return at::softplus(x, beta, threshold); });
}

Forward build_threshold(Builder& build) {
  return plainly([threshold = build.args().number("threshold"), value = build.args().number("value")](
                     const at::Tensor& x) { return at::threshold(x, threshold, value); });
}

at::Tensor softsign(const at::Tensor& x) {
  return x / (x.abs() + 1);
}

at::Tensor tanhshrink(const at::Tensor& x) {
  return x - x.tanh();
}

/// At each position of an image over its channels.
at::Tensor softmax_of_channels(const at::Tensor& x) {
  return at::softmax(x, -3);
}

Forward build_glu(Builder& build) {
  return plainly([dim = build.args().integer("dim")](const at::Tensor& x) { return at::glu(x, dim); });
}

Forward build_prelu(Builder& build) {
  const at::Tensor weight = build.parameter(
      "weight", at::full({build.args().integer("num_parameters")}, build.args().number("init"), at::kFloat));
  // Autocast leaves the two to differ in type, which prelu refuses.
  return plainly([weight](const at::Tensor& x) { return at::prelu(x, weight.to(x.scalar_type())); });
}

Forward build_rrelu(Builder& build) {
  build.draws_random();
  return [lower = build.args().number("lower"), upper = build.args().number("upper")](
             const at::Tensor& x, const Pass& pass) { return at::rrelu(as_in_pytorch(x), lower, upper, pass.training); };
}

Forward build_softmax(Builder& build) {
  return plainly([dim = build.args().integer("dim")](const at::Tensor& x) { return at::softmax(x, dim); });
}

Forward build_softmin(Builder& build) {
  return plainly([dim = build.args().integer("dim")](const at::Tensor& x) { return at::softmax(-x, dim); });
}

Forward build_log_softmax(Builder& build) {
  return plainly([dim = build.args().integer("dim")](const at::Tensor& x) { return at::log_softmax(x, dim); });
}

constexpr LayerKind rows[] = {
    {"ReLU", {}, build_relu},
    {"LeakyReLU", {"negative_slope"}, build_leaky_relu},
    {"PReLU", {"num_parameters", "init"}, build_prelu},
    {"RReLU", {"lower", "upper"}, build_rrelu},
    {"ReLU6", {}, build_of<at::relu6>},
    {"ELU", {"alpha"}, build_elu},
    {"SELU", {}, build_of<at::selu>},
    {"CELU", {"alpha"}, build_celu},
    {"GELU", {"approximate"}, build_gelu},
    {"SiLU", {}, build_of<at::silu>},
    {"Mish", {}, build_of<at::mish>},
    {"Hardswish", {}, build_of<at::hardswish>},
    {"Softplus", {"beta", "threshold"}, build_softplus},
    {"Sigmoid", {}, build_sigmoid},
    {"Hardsigmoid", {}, build_of<at::hardsigmoid>},
    {"LogSigmoid", {}, build_of<at::log_sigmoid>},
    {"Tanh", {}, build_tanh},
    {"Hardtanh", {"min_val", "max_val"}, build_hardtanh},
    {"Tanhshrink", {}, build_of<tanhshrink>},
    {"Softsign", {}, build_of<softsign>},
    {"Softshrink", {"lambd"}, build_softshrink},
    {"Hardshrink", {"lambd"}, build_hardshrink},
    {"Threshold", {"threshold", "value"}, build_threshold},
    {"GLU", {"dim"}, build_glu},
    {"Softmax", {"dim"}, build_softmax},
    {"Softmin", {"dim"}, build_softmin},
    {"Softmax2d", {}, build_of<softmax_of_channels>},
    {"LogSoftmax", {"dim"}, build_log_softmax},
};

}  // namespace

std::span<const LayerKind> activation_layers() {
  return rows;
}

}  // namespace gradloom
