// Tables of vectors, looked up by tokens.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/errors.h"
#include "core/layers/table.h"

namespace gradloom {

namespace {

/// What Embedding and EmbeddingBag have in common.
class Table {
 public:
  explicit Table(Builder& build) : path_(build.plan().path), rows_(build.args().integer("num_embeddings")) {
    const Args& args = build.args();
    at::Tensor values = at::empty({rows_, args.integer("embedding_dim")}).normal_();
    if (!args.absent("padding_idx")) {
      padding_ = args.integer("padding_idx");
      values.select(0, *padding_).zero_();
    }
    if (!args.absent("max_norm")) max_norm_ = args.number("max_norm");
    norm_type_ = args.number("norm_type");
    weight_ = build.parameter("weight", values);
  }

  std::optional<int64_t> padding() const { return padding_; }

  /// The table with the used rows scaled down to the largest norm: in place, as PyTorch does, but only where training
  /// may change it.
  at::Tensor weight(const at::Tensor& tokens, const Pass& pass) const {
    check(tokens);
    if (!max_norm_ || pass.recomputing) return weight_;
    const at::NoGradGuard no_grad;
    at::Tensor scaled = pass.training ? weight_.detach() : weight_.clone();
    at::embedding_renorm_(scaled, tokens.contiguous(), *max_norm_, norm_type_);
    return pass.training ? weight_ : scaled;
  }

 private:
  /// Where that needs no waiting for a device: ATen's own message does not say which layer it is.
  void check(const at::Tensor& tokens) const {
    if (!tokens.is_cpu() || tokens.numel() == 0) return;
    const auto [least, most] = at::aminmax(tokens.flatten());
    if (least.item<int64_t>() >= 0 && most.item<int64_t>() < rows_) return;
    throw Error("DATA_FORMAT",
                "A token of this batch has no row in the table of layer " + path_ + ", which has " +
                    std::to_string(rows_) + ".",
                "Set num_embeddings to the number of different tokens.", path_);
  }

  std::string path_;
  int64_t rows_;
  std::optional<int64_t> padding_;
  std::optional<double> max_norm_;
  double norm_type_ = 2;
  at::Tensor weight_;
};

Forward build_embedding(Builder& build) {
  const Table table(build);
  const bool by_frequency = build.args().flag("scale_grad_by_freq");
  const bool masks = !build.args().absent("mask");
  return [=, path = build.plan().path](const at::Tensor& tokens, const Pass& pass) {
    if (masks) {
      const at::Tensor padding = tokens.eq(*table.padding());
      // A sample of padding alone is taken as it is: nothing can be computed from no position.
      tell_padding(pass, path, padding.logical_and(padding.all(1, true).logical_not()));
    }
    const at::Tensor weight = table.weight(tokens, pass);
    return at::embedding(weight, tokens, table.padding().value_or(-1), by_frequency, false);
  };
}

Forward build_embedding_bag(Builder& build) {
  const Table table(build);
  const std::string mode = build.args().string("mode");
  const int64_t how = mode == "sum" ? 0 : mode == "mean" ? 1 : 2;
  const bool by_frequency = build.args().flag("scale_grad_by_freq");
  return [=](const at::Tensor& tokens, const Pass& pass) {
    const at::Tensor weight = table.weight(tokens, pass);
    const at::Tensor starts = at::arange(0, tokens.numel(), tokens.size(1), tokens.options());
    return std::get<0>(
        at::embedding_bag(weight, tokens.reshape(-1), starts, by_frequency, how, false, {}, false, table.padding()));
  };
}

constexpr LayerKind rows[] = {
    {"Embedding",
     {"num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "mask"},
     build_embedding,
     true},
    {"EmbeddingBag",
     {"num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq", "mode", "padding_idx"},
     build_embedding_bag,
     true},
};

}  // namespace

std::span<const LayerKind> embedding_layers() {
  return rows;
}

}  // namespace gradloom
