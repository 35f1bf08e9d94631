// Dropout: values, channels or whole samples set aside at random in training.
#include <ATen/ATen.h>

#include "core/layers/layout.h"
#include "core/layers/table.h"

namespace gradloom {

namespace {

/// `drop` makes of the input and the probability what a training pass hands on.
template <typename Drop>
Forward dropout(Builder& build, Drop drop) {
  build.draws_random();
  return [p = build.args().number("p"), drop](const at::Tensor& input, const Pass& pass) {
    return pass.training ? drop(input, p) : input;
  };
}

Forward build_dropout(Builder& build) {
  return dropout(build, [](const at::Tensor& x, double p) { return at::dropout(as_in_pytorch(x), p, true); });
}

Forward build_alpha_dropout(Builder& build) {
  return dropout(build, [](const at::Tensor& x, double p) { return at::alpha_dropout(as_in_pytorch(x), p, true); });
}

/// The mask has a value a channel, whatever the layout.
at::Tensor drop_channels(const at::Tensor& x, double p) {
  return at::feature_dropout(x, p, true);
}

/// PyTorch takes what has not `dims` dimensions for a tensor without a batch: its first are the channels then.
template <int64_t dims>
at::Tensor drop_channels_of(const at::Tensor& x, double p) {
  return x.dim() == dims ? drop_channels(x, p) : drop_channels(x.unsqueeze(0), p).squeeze(0);
}

Forward build_dropout1d(Builder& build) {
  return dropout(build, drop_channels_of<3>);
}

Forward build_dropout2d(Builder& build) {
  return dropout(build, drop_channels);
}

Forward build_dropout3d(Builder& build) {
  return dropout(build, drop_channels_of<5>);
}

Forward build_feature_alpha_dropout(Builder& build) {
  return dropout(build, [](const at::Tensor& x, double p) { return at::feature_alpha_dropout(x, p, true); });
}

Forward build_stochastic_depth(Builder& build) {
  const bool rows = build.args().string("mode") == "row";
  return dropout(build, [rows](const at::Tensor& x, double p) {
    if (p == 0) return x;
    std::vector<int64_t> shape(static_cast<size_t>(x.dim()), 1);
    if (rows) shape[0] = x.size(0);
    at::Tensor noise = at::empty(shape, x.options()).bernoulli_(1 - p);
    if (p < 1) noise.div_(1 - p);
    return x * noise;
  });
}

constexpr LayerKind rows[] = {
    {"Dropout", {"p"}, build_dropout},
    {"Dropout1d", {"p"}, build_dropout1d},
    {"Dropout2d", {"p"}, build_dropout2d},
    {"Dropout3d", {"p"}, build_dropout3d},
    {"AlphaDropout", {"p"}, build_alpha_dropout},
    {"FeatureAlphaDropout", {"p"}, build_feature_alpha_dropout},
    {"StochasticDepth", {"p", "mode"}, build_stochastic_depth},
};

}  // namespace

std::span<const LayerKind> dropout_layers() {
  return rows;
}

}  // namespace gradloom
