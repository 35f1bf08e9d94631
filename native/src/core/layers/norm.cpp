// Normalisation.
#include <ATen/ATen.h>
#include <ATen/Context.h>

#include "core/errors.h"
#include "core/layers/table.h"

namespace gradloom {

namespace {

void require_spread(const at::Tensor& input, const std::string& path) {
  if (input.numel() > input.size(1)) return;
  throw Error("NOT_SUPPORTED", "BatchNorm2d " + path + " cannot train on a single value per channel.",
              "Use a larger batch, or drop_last so that no batch of one remains.", path);
}

Forward build_batch_norm2d(Builder& build) {
  const Args& args = build.args();
  const int64_t features = args.integer("num_features");
  const double eps = args.number("eps");
  const bool cumulative = args.absent("momentum");  // momentum None: the plain mean over all batches
  const double momentum = cumulative ? 0 : args.number("momentum");
  at::Tensor weight, bias, mean, variance, tracked;
  if (args.flag("affine")) {
    weight = build.parameter("weight", at::ones({features}));
    if (args.flag("bias")) bias = build.parameter("bias", at::zeros({features}));
  }
  if (args.flag("track_running_stats")) {
    mean = build.buffer("running_mean", at::zeros({features}));
    variance = build.buffer("running_var", at::ones({features}));
    tracked = build.buffer("num_batches_tracked", at::zeros({}, at::kLong));
  }
  return [=, path = build.plan().path](const at::Tensor& input, const Pass& pass) {
    if (pass.training) require_spread(input, path);
    double factor = momentum;
    const at::Tensor none;
    const bool tracks = !pass.recomputing;
    if (pass.training && tracks && tracked.defined()) {
      tracked.add_(1);
      // The one layer that must know a device's number to go on: PyTorch's does too.
      if (cumulative) factor = 1.0 / static_cast<double>(tracked.item<int64_t>());
    }
    const bool batch_statistics = pass.training || !mean.defined();
    return at::batch_norm(input, weight, bias, tracks ? mean : none, tracks ? variance : none, batch_statistics, factor,
                          eps,
                          at::globalContext().userEnabledCuDNN());
  };
}

Forward build_layer_norm(Builder& build) {
  const Args& args = build.args();
  const std::vector<int64_t> shape = args.integers("normalized_shape");
  at::Tensor weight, bias;
  if (args.flag("elementwise_affine")) {
    weight = build.parameter("weight", at::ones(shape));
    if (args.flag("bias")) bias = build.parameter("bias", at::zeros(shape));
  }
  return [=, eps = args.number("eps")](const at::Tensor& input, const Pass&) {
    return at::layer_norm(input, shape, weight, bias, eps, at::globalContext().userEnabledCuDNN());
  };
}

constexpr LayerKind rows[] = {
    {"BatchNorm2d",
     {"num_features", "eps", "momentum", "affine", "track_running_stats", "bias"},
     build_batch_norm2d,
     true},
    {"LayerNorm", {"normalized_shape", "eps", "elementwise_affine", "bias"}, build_layer_norm, true},
};

}  // namespace

std::span<const LayerKind> norm_layers() {
  return rows;
}

}  // namespace gradloom
