// Multi-head attention of a sequence to itself, as torch.nn.MultiheadAttention computes it.
#pragma once

#include "core/model/layer.h"

namespace gradloom {

/// Initial values, drawn in the order in which PyTorch draws them; `bias` and `extra` are undefined where there is none.
struct AttentionValues {
  at::Tensor in_weight, in_bias, out_weight, out_bias, bias_k, bias_v;
};

AttentionValues draw_attention(int64_t features, bool bias, bool bias_kv = false);

class Attention {
 public:
  struct Options {
    int64_t heads = 1;
    double dropout = 0;
    bool causal = false;
    bool zero_position = false;
  };

  /// Registers copies of the values under the prefix.
  Attention(Builder& build, const std::string& prefix, const AttentionValues& values, const Options& options);

  /// samples × positions × features, contiguous.
  at::Tensor operator()(const at::Tensor& input, const Pass& pass) const;

 private:
  /// Which keys each position may look at; undefined: all, or all up to itself.
  at::Tensor visible(const at::Tensor& input, int64_t keys, const Pass& pass) const;

  AttentionValues of_;
  Options options_;
  Padding padding_;
};

}  // namespace gradloom
