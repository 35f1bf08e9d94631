// ATen's scaled_dot_product_attention between two projections.
#include "core/layers/attention.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/layers/init.h"
#include "core/layers/table.h"

namespace gradloom {

AttentionValues draw_attention(int64_t features, bool bias, bool bias_kv) {
  AttentionValues drawn;
  const std::vector<int64_t> square = {features, features};
  drawn.out_weight = draw_weight(square);
  if (bias) {
    draw_bias(square);  // PyTorch draws it, and then makes it zero
    drawn.out_bias = at::zeros({features});
    drawn.in_bias = at::zeros({3 * features});
  }
  const double bound = std::sqrt(3.0) * std::sqrt(2.0 / static_cast<double>(4 * features));
  drawn.in_weight = at::empty({3 * features, features}).uniform_(-bound, bound);
  if (bias_kv) {
    const double deviation = std::sqrt(2.0 / static_cast<double>(2 * features));
    drawn.bias_k = at::empty({1, 1, features}).normal_(0, deviation);
    drawn.bias_v = at::empty({1, 1, features}).normal_(0, deviation);
  }
  return drawn;
}

Attention::Attention(Builder& build, const std::string& prefix, const AttentionValues& values, const Options& options)
    : options_(options), padding_(build.args()) {
  const auto add = [&](const std::string& name, const at::Tensor& initial) {
    return initial.defined() ? build.parameter(prefix + name, initial.clone()) : initial;
  };
  of_.in_weight = add("in_proj_weight", values.in_weight);
  of_.in_bias = add("in_proj_bias", values.in_bias);
  of_.bias_k = add("bias_k", values.bias_k);
  of_.bias_v = add("bias_v", values.bias_v);
  of_.out_weight = add("out_proj.weight", values.out_weight);
  of_.out_bias = add("out_proj.bias", values.out_bias);
  if (options.dropout > 0) build.draws_random();
}

at::Tensor Attention::visible(const at::Tensor& input, int64_t keys, const Pass& pass) const {
  const int64_t positions = input.size(1);
  const bool hint = !padding_.known() && keys == positions;  // then the function knows of `causal` by itself
  if (hint || (!padding_.known() && !options_.causal)) return {};
  at::Tensor seen;
  if (padding_.known()) seen = padding_.in(pass).padding().logical_not().view({input.size(0), 1, 1, positions});
  if (options_.causal) {
    const at::Tensor before = at::ones({positions, positions}, input.options().dtype(at::kBool)).tril();
    seen = seen.defined() ? seen.logical_and(before) : before;
  }
  return keys == positions ? seen : at::constant_pad_nd(seen, {0, keys - positions}, true);
}

at::Tensor Attention::operator()(const at::Tensor& input, const Pass& pass) const {
  const int64_t samples = input.size(0), positions = input.size(1), features = input.size(2);
  const int64_t width = features / options_.heads;
  const at::Tensor projected = at::linear(input, of_.in_weight, of_.in_bias)
                                   .view({samples, positions, 3, options_.heads, width})
                                   .permute({2, 0, 3, 1, 4});
  const at::Tensor query = projected.select(0, 0);
  std::vector<at::Tensor> keys = {projected.select(0, 1)}, values = {projected.select(0, 2)};
  if (of_.bias_k.defined()) {
    const auto each = [&](const at::Tensor& bias) {
      return bias.to(query.scalar_type()).view({1, options_.heads, 1, width}).expand({samples, -1, -1, -1});
    };
    keys.push_back(each(of_.bias_k));
    values.push_back(each(of_.bias_v));
  }
  if (options_.zero_position) {
    const at::Tensor zeros = at::zeros({samples, options_.heads, 1, width}, query.options().requires_grad(false));
    keys.push_back(zeros);
    values.push_back(zeros);
  }
  const auto joined = [](const std::vector<at::Tensor>& parts) {
    return parts.size() == 1 ? parts.front() : at::cat(parts, 2);
  };
  const at::Tensor key = joined(keys);
  const at::Tensor seen = visible(input, key.size(2), pass);
  const at::Tensor gathered = at::scaled_dot_product_attention(
      query, key, joined(values), seen.defined() ? std::optional(seen) : std::nullopt,
      pass.training ? options_.dropout : 0, options_.causal && !seen.defined());
  return at::linear(gathered.transpose(1, 2).reshape({samples, positions, features}), of_.out_weight, of_.out_bias);
}

namespace {

Forward build_attention(Builder& build) {
  const Args& args = build.args();
  const AttentionValues values =
      draw_attention(args.integer("embed_dim"), args.flag("bias"), args.flag("add_bias_kv"));
  return Attention(build, "", values,
                   {.heads = args.integer("num_heads"),
                    .dropout = args.number("dropout"),
                    .causal = args.flag("causal"),
                    .zero_position = args.flag("add_zero_attn")});
}

constexpr LayerKind rows[] = {
    {"MultiheadAttention",
     {"embed_dim", "mask", "num_heads", "dropout", "bias", "add_bias_kv", "add_zero_attn", "causal"},
     build_attention,
     true},
};

}  // namespace

std::span<const LayerKind> attention_layers() {
  return rows;
}

}  // namespace gradloom
