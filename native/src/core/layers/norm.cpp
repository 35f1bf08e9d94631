// Normalisation.
#include <ATen/ATen.h>
#include <ATen/Context.h>

#include "core/errors.h"
#include "core/layers/table.h"

namespace gradloom {

namespace {

/// As PyTorch: what is normalised by statistics of its own needs more than one value for each of them.
void require_spread(const at::Tensor& input, int64_t statistics, const std::string& of, const LayerPlan& plan,
                    const Pass& pass) {
  if (input.numel() > statistics) return;
  const std::string cannot = pass.training ? " cannot train on" : " cannot evaluate";
  throw Error("NOT_SUPPORTED", plan.kind + " " + plan.path + cannot + " a single value per " + of + ".",
              pass.training ? "Use a larger batch, or drop_last so that no batch of one remains."
              : of == "group" ? "In a batch of one sample a group has one value only: use fewer groups."
                              : "In a batch of one sample a channel has one value only: keep running statistics.",
              plan.path);
}

/// Factor and offset of `shape`, where `affine` wants them.
struct Affine {
  Affine(Builder& build, std::string_view affine, at::IntArrayRef shape) {
    if (!build.args().flag(affine)) return;
    weight = build.parameter("weight", at::ones(shape));
    if (build.args().flag("bias")) bias = build.parameter("bias", at::zeros(shape));
  }

  at::Tensor weight, bias;
};

/// What BatchNorm and InstanceNorm keep of training for evaluation.
struct RunningStatistics {
  RunningStatistics(Builder& build, int64_t features) {
    if (!build.args().flag("track_running_stats")) return;
    mean = build.buffer("running_mean", at::zeros({features}));
    variance = build.buffer("running_var", at::ones({features}));
    tracked = build.buffer("num_batches_tracked", at::zeros({}, at::kLong));
  }

  at::Tensor mean, variance, tracked;
};

Forward build_batch_norm(Builder& build) {
  const Args& args = build.args();
  const int64_t features = args.integer("num_features");
  const double eps = args.number("eps");
  const bool cumulative = args.absent("momentum");  // momentum None: the plain mean over all batches
  const double momentum = cumulative ? 0 : args.number("momentum");
  const Affine affine(build, "affine", {features});
  const RunningStatistics running(build, features);
  return [=, plan = build.plan()](const at::Tensor& input, const Pass& pass) {
    const auto& [mean, variance, tracked] = running;
    const bool batch_statistics = pass.training || !mean.defined();
    if (batch_statistics) require_spread(input, input.size(1), "channel", plan, pass);
    double factor = momentum;
    const at::Tensor none;
    const bool tracks = !pass.recomputing;
    if (pass.training && tracks && tracked.defined()) {
      tracked.add_(1);
      // The one layer that must know a device's number to go on: PyTorch's does too.
      if (cumulative) factor = 1.0 / static_cast<double>(tracked.item<int64_t>());
    }
    return at::batch_norm(input, affine.weight, affine.bias, tracks ? mean : none, tracks ? variance : none,
                          batch_statistics, factor, eps, at::globalContext().userEnabledCuDNN());
  };
}

/// `dims`: of a batch. PyTorch takes a tensor of one dimension less for one without a batch, whose first are the channels.
template <int64_t dims>
Forward build_instance_norm(Builder& build) {
  const Args& args = build.args();
  const int64_t features = args.integer("num_features");
  const double momentum = args.absent("momentum") ? 0 : args.number("momentum");
  const Affine affine(build, "affine", {features});
  const RunningStatistics running(build, features);
  return [=, eps = args.number("eps")](const at::Tensor& input, const Pass& pass) {
    const at::Tensor none;
    const bool tracks = !pass.recomputing;
    const bool own_statistics = pass.training || !running.mean.defined();
    const auto normalise = [&](const at::Tensor& x) {
      return at::instance_norm(x, affine.weight, affine.bias, tracks ? running.mean : none,
                               tracks ? running.variance : none, own_statistics, momentum, eps,
                               at::globalContext().userEnabledCuDNN());
    };
    return input.dim() == dims ? normalise(input) : normalise(input.unsqueeze(0)).squeeze(0);
  };
}

Forward build_layer_norm(Builder& build) {
  const Args& args = build.args();
  const std::vector<int64_t> shape = args.integers("normalized_shape");
  const Affine affine(build, "elementwise_affine", shape);
  return [=, eps = args.number("eps")](const at::Tensor& input, const Pass&) {
    return at::layer_norm(input, shape, affine.weight, affine.bias, eps, at::globalContext().userEnabledCuDNN());
  };
}

Forward build_rms_norm(Builder& build) {
  const Args& args = build.args();
  const std::vector<int64_t> shape = args.integers("normalized_shape");
  const at::Tensor weight =
      args.flag("elementwise_affine") ? build.parameter("weight", at::ones(shape)) : at::Tensor();
  const std::optional<double> eps = args.absent("eps") ? std::nullopt : std::optional(args.number("eps"));
  return [=](const at::Tensor& input, const Pass&) { return at::rms_norm(input, shape, weight, eps); };
}

Forward build_group_norm(Builder& build) {
  const Args& args = build.args();
  const Affine affine(build, "affine", {args.integer("num_channels")});
  return [=, groups = args.integer("num_groups"), eps = args.number("eps"),
          plan = build.plan()](const at::Tensor& input, const Pass& pass) {
    require_spread(input, groups, "group", plan, pass);  // in evaluation too
    return at::group_norm(input, groups, affine.weight, affine.bias, eps, at::globalContext().userEnabledCuDNN());
  };
}

/// torch.nn.functional.local_response_norm, which has no function in ATen: a mean over neighbouring channels, as a pooling.
Forward build_local_response_norm(Builder& build) {
  const Args& args = build.args();
  return [size = args.integer("size"), alpha = args.number("alpha"), beta = args.number("beta"),
          k = args.number("k")](const at::Tensor& input, const Pass&) {
    at::Tensor mean = input.mul(input);
    if (input.dim() == 3) {
      mean = at::constant_pad_nd(mean.unsqueeze(1), {0, 0, size / 2, (size - 1) / 2});
      mean = at::avg_pool2d(mean, {size, 1}, 1).squeeze(1);
    } else {
      mean = mean.reshape({input.size(0), 1, input.size(1), input.size(2), -1});
      mean = at::constant_pad_nd(mean, {0, 0, 0, 0, size / 2, (size - 1) / 2});
      mean = at::avg_pool3d(mean, {size, 1, 1}, 1).reshape(input.sizes());
    }
    return input / mean.mul(alpha).add(k).pow(beta);
  };
}

constexpr Names channel_norm = {"num_features", "eps", "momentum", "affine", "track_running_stats", "bias"};

constexpr LayerKind rows[] = {
    {"BatchNorm1d", channel_norm, build_batch_norm, true},
    {"BatchNorm2d", channel_norm, build_batch_norm, true},
    {"BatchNorm3d", channel_norm, build_batch_norm, true},
    {"InstanceNorm1d", channel_norm, build_instance_norm<3>},
    {"InstanceNorm2d", channel_norm, build_instance_norm<4>},
    {"InstanceNorm3d", channel_norm, build_instance_norm<5>},
    {"LayerNorm", {"normalized_shape", "eps", "elementwise_affine", "bias"}, build_layer_norm, true},
    {"RMSNorm", {"normalized_shape", "eps", "elementwise_affine"}, build_rms_norm},
    {"GroupNorm", {"num_channels", "num_groups", "eps", "affine", "bias"}, build_group_norm, true},
    {"LocalResponseNorm", {"size", "alpha", "beta", "k"}, build_local_response_norm},
};

}  // namespace

std::span<const LayerKind> norm_layers() {
  return rows;
}

}  // namespace gradloom
