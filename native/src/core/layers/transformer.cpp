// Transformer encoders, with the draws of torch.nn's: what a module of PyTorch clones is equal here, too.
#include <ATen/ATen.h>

#include "core/layers/attention.h"
#include "core/layers/init.h"
#include "core/layers/table.h"

namespace gradloom {

namespace {

struct Pair {
  at::Tensor weight, bias;
};

struct LayerValues {
  AttentionValues attention;
  Pair linear1, linear2;
};

Pair draw_linear(int64_t outputs, int64_t inputs, bool bias) {
  Pair drawn{draw_weight({outputs, inputs}), {}};
  if (bias) drawn.bias = draw_bias({outputs, inputs});
  return drawn;
}

LayerValues draw_layer(const Args& args) {
  const int64_t features = args.integer("d_model"), inner = args.integer("dim_feedforward");
  const bool bias = args.flag("bias");
  LayerValues drawn{draw_attention(features, bias), {}, {}};
  drawn.linear1 = draw_linear(inner, features, bias);
  drawn.linear2 = draw_linear(features, inner, bias);
  return drawn;
}

/// Copies: the layers of an encoder begin with equal values.
Pair add(Builder& build, const std::string& name, const Pair& values) {
  Pair made{build.parameter(name + ".weight", values.weight.clone()), {}};
  if (values.bias.defined()) made.bias = build.parameter(name + ".bias", values.bias.clone());
  return made;
}

class Norm {
 public:
  Norm(Builder& build, const std::string& name)
      : features_(build.args().integer("d_model")), eps_(build.args().number("layer_norm_eps")) {
    const at::Tensor bias = build.args().flag("bias") ? at::zeros({features_}) : at::Tensor();
    of_ = add(build, name, {at::ones({features_}), bias});
  }

  at::Tensor operator()(const at::Tensor& input) const {
    return at::layer_norm(input, {features_}, of_.weight, of_.bias, eps_);
  }

 private:
  int64_t features_;
  double eps_;
  Pair of_;
};

class Layer {
 public:
  Layer(Builder& build, const std::string& prefix, const LayerValues& values)
      : dropout_(build.args().number("dropout")),
        norm_first_(build.args().flag("norm_first")),
        gelu_(build.args().string("activation") == "gelu"),
        attention_(build, prefix + "self_attn.", values.attention,
                   {.heads = build.args().integer("nhead"), .dropout = dropout_, .causal = build.args().flag("causal")}),
        linear1_(add(build, prefix + "linear1", values.linear1)),
        linear2_(add(build, prefix + "linear2", values.linear2)),
        norm1_(build, prefix + "norm1"),
        norm2_(build, prefix + "norm2") {}

  at::Tensor operator()(const at::Tensor& given, const Pass& pass) const {
    const at::Tensor input = given.contiguous();
    if (norm_first_) {
      const at::Tensor sum = input + attend(norm1_(input), pass);
      return sum + feed_forward(norm2_(sum), pass);
    }
    const at::Tensor middle = norm1_(input + attend(input, pass));
    return norm2_(middle + feed_forward(middle, pass));
  }

 private:
  at::Tensor drop(const at::Tensor& values, const Pass& pass) const {
    return pass.training ? at::dropout(values, dropout_, true) : values;
  }

  at::Tensor attend(const at::Tensor& input, const Pass& pass) const {
    const at::Tensor answer = attention_(input, pass);
    if (!pass.training || dropout_ == 0) return answer;
    // Dropout draws in the order in which values lie in memory: PyTorch's attention has the positions first.
    return at::dropout(answer.transpose(0, 1).contiguous(), dropout_, true).transpose(0, 1);
  }

  at::Tensor feed_forward(const at::Tensor& input, const Pass& pass) const {
    const at::Tensor inner = at::linear(input, linear1_.weight, linear1_.bias);
    const at::Tensor active = gelu_ ? at::gelu(inner) : at::relu(inner);
    return drop(at::linear(drop(active, pass), linear2_.weight, linear2_.bias), pass);
  }

  double dropout_;
  bool norm_first_;
  bool gelu_;
  Attention attention_;
  Pair linear1_, linear2_;
  Norm norm1_, norm2_;
};

Forward build_layer(Builder& build) {
  return Layer(build, "", draw_layer(build.args()));
}

Forward build_encoder(Builder& build) {
  const LayerValues values = draw_layer(build.args());  // of one layer, which PyTorch copies
  std::vector<Layer> layers;
  for (int64_t i = 0; i < build.args().integer("num_layers"); ++i)
    layers.emplace_back(build, "layers." + std::to_string(i) + ".", values);
  std::optional<Norm> norm;
  if (build.args().flag("norm")) norm.emplace(build, "norm");
  return [=](const at::Tensor& input, const Pass& pass) {
    at::Tensor x = input;
    for (const Layer& layer : layers) x = layer(x, pass);
    return norm ? (*norm)(x) : x;
  };
}

constexpr LayerKind rows[] = {
    {"TransformerEncoderLayer",
     {"d_model", "mask", "nhead", "dim_feedforward", "dropout", "activation", "layer_norm_eps", "norm_first", "bias",
      "causal"},
     build_layer,
     true},
    {"TransformerEncoder",
     {"d_model", "mask", "num_layers", "nhead", "dim_feedforward", "dropout", "activation", "layer_norm_eps",
      "norm_first", "bias", "causal", "norm"},
     build_encoder,
     true},
};

}  // namespace

std::span<const LayerKind> transformer_layers() {
  return rows;
}

}  // namespace gradloom
