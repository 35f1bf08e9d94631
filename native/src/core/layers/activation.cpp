// Activations. Those whose gradient needs only their result overwrite their input where nobody else reads it.
#include <ATen/ATen.h>

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
  if (slope < 0) return [apply](const at::Tensor& x, const Pass&) { return apply(x); };
  return activation(build, apply, [slope](at::Tensor& x) { return at::leaky_relu_(x, slope); });
}

Forward build_gelu(Builder& build) {
  return [approximate = build.args().string("approximate")](const at::Tensor& x, const Pass&) {
    return at::gelu(x, approximate);
  };
}

Forward build_silu(Builder&) {
  return [](const at::Tensor& x, const Pass&) { return at::silu(x); };
}

Forward build_sigmoid(Builder& build) {
  return activation(
      build, [](const at::Tensor& x) { return at::sigmoid(x); }, [](at::Tensor& x) { return at::sigmoid_(x); });
}

Forward build_tanh(Builder& build) {
  return activation(build, [](const at::Tensor& x) { return at::tanh(x); }, [](at::Tensor& x) { return at::tanh_(x); });
}

Forward build_softmax(Builder& build) {
  return [dim = build.args().integer("dim")](const at::Tensor& x, const Pass&) { return at::softmax(x, dim); };
}

Forward build_log_softmax(Builder& build) {
  return [dim = build.args().integer("dim")](const at::Tensor& x, const Pass&) { return at::log_softmax(x, dim); };
}

constexpr LayerKind rows[] = {
    {"ReLU", {}, build_relu},
    {"LeakyReLU", {"negative_slope"}, build_leaky_relu},
    {"GELU", {"approximate"}, build_gelu},
    {"SiLU", {}, build_silu},
    {"Sigmoid", {}, build_sigmoid},
    {"Tanh", {}, build_tanh},
    {"Softmax", {"dim"}, build_softmax},
    {"LogSoftmax", {"dim"}, build_log_softmax},
};

}  // namespace

std::span<const LayerKind> activation_layers() {
  return rows;
}

}  // namespace gradloom
