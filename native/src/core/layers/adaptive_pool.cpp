// Pooling to a given size, and over everything.
#include <ATen/ATen.h>

#include <numeric>

#include "core/layers/table.h"

namespace gradloom {

namespace {

template <int rank>
Forward build_adaptive_avg_pool(Builder& build) {
  return [size = build.args().integers("output_size")](const at::Tensor& input, const Pass&) {
    if constexpr (rank == 1) return at::adaptive_avg_pool1d(input, size);
    else if constexpr (rank == 2) return at::adaptive_avg_pool2d(input, size);
    else return at::adaptive_avg_pool3d(input, size);
  };
}

template <int rank>
Forward build_adaptive_max_pool(Builder& build) {
  return [size = build.args().integers("output_size")](const at::Tensor& input, const Pass&) {
    if constexpr (rank == 1) return std::get<0>(at::adaptive_max_pool1d(input, size));
    else if constexpr (rank == 2) return std::get<0>(at::adaptive_max_pool2d(input, size));
    else return std::get<0>(at::adaptive_max_pool3d(input, size));
  };
}

/// All dimensions but samples and channels.
std::vector<int64_t> positions(const at::Tensor& input) {
  std::vector<int64_t> dims(static_cast<size_t>(input.dim() - 2));
  std::iota(dims.begin(), dims.end(), 2);
  return dims;
}

Forward build_global_avg_pool(Builder& build) {
  return [keepdim = build.args().flag("keepdim")](const at::Tensor& input, const Pass&) {
    return at::mean(input, positions(input), keepdim);
  };
}

Forward build_global_max_pool(Builder& build) {
  return [keepdim = build.args().flag("keepdim")](const at::Tensor& input, const Pass&) {
    return at::amax(input, positions(input), keepdim);
  };
}

constexpr LayerKind rows[] = {
    {"AdaptiveAvgPool1d", {"output_size"}, build_adaptive_avg_pool<1>, true},
    {"AdaptiveAvgPool2d", {"output_size"}, build_adaptive_avg_pool<2>, true},
    {"AdaptiveAvgPool3d", {"output_size"}, build_adaptive_avg_pool<3>, true},
    {"AdaptiveMaxPool1d", {"output_size"}, build_adaptive_max_pool<1>, true},
    {"AdaptiveMaxPool2d", {"output_size"}, build_adaptive_max_pool<2>, true},
    {"AdaptiveMaxPool3d", {"output_size"}, build_adaptive_max_pool<3>, true},
    {"GlobalAvgPool", {"keepdim"}, build_global_avg_pool, true},
    // Where the maximum was, backward finds by comparing with it.
    {"GlobalMaxPool", {"keepdim"}, build_global_max_pool},
};

}  // namespace

std::span<const LayerKind> adaptive_pool_layers() {
  return rows;
}

}  // namespace gradloom
