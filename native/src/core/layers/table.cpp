// The families' rows as one table.
#include "core/layers/table.h"

#include <vector>

#include "core/errors.h"

namespace gradloom {

std::span<const LayerKind> layer_kinds() {
  static const std::vector<LayerKind> all = [] {
    std::vector<LayerKind> rows;
    for (const auto family :
         {dense_layers, conv_layers, conv_transpose_layers, pool_layers, adaptive_pool_layers, norm_layers,
          activation_layers, dropout_layers, embedding_layers, sequence_layers, recurrent_layers, attention_layers,
          transformer_layers, shape_layers, pad_layers, upsample_layers, block_layers}) {
      const std::span<const LayerKind> own = family();
      rows.insert(rows.end(), own.begin(), own.end());
    }
    return rows;
  }();
  return all;
}

const LayerKind& layer_kind(const LayerPlan& plan) {
  for (const LayerKind& row : layer_kinds()) {
    if (row.kind == plan.kind) return row;
  }
  throw Error("NOT_SUPPORTED", "The engine has no layer kind " + plan.kind + ".",
              "Update Gradloom, or use another kind.", plan.path);
}

}  // namespace gradloom
