// The native table of layer kinds: one row a kind, with PyTorch's names and keyword arguments, at the end of its family's
// file, below the function that builds it. To add a kind: that row, and its row in engine/contract/layers.
#pragma once

#include <span>

#include "core/model/layer.h"
#include "core/names.h"

namespace gradloom {

struct LayerKind {
  std::string_view kind;
  Names arguments;
  Forward (*build)(Builder&);
  /// The output is a tensor of its own whose values no backward needs: the next activation may overwrite it.
  bool free_output = false;
};

std::span<const LayerKind> dense_layers();
std::span<const LayerKind> conv_layers();
std::span<const LayerKind> conv_transpose_layers();
std::span<const LayerKind> pool_layers();
std::span<const LayerKind> adaptive_pool_layers();
std::span<const LayerKind> norm_layers();
std::span<const LayerKind> activation_layers();
std::span<const LayerKind> dropout_layers();
std::span<const LayerKind> embedding_layers();
std::span<const LayerKind> sequence_layers();
std::span<const LayerKind> recurrent_layers();
std::span<const LayerKind> attention_layers();
std::span<const LayerKind> transformer_layers();
std::span<const LayerKind> shape_layers();
std::span<const LayerKind> pad_layers();
std::span<const LayerKind> upsample_layers();
std::span<const LayerKind> block_layers();

/// All families together.
std::span<const LayerKind> layer_kinds();

/// Throws NOT_SUPPORTED for a kind without a row.
const LayerKind& layer_kind(const LayerPlan& plan);

}  // namespace gradloom
