// Pooling by a window that slides.
#include <ATen/ATen.h>

#include "core/layers/table.h"
#include "core/layers/max_pool_args.h"

namespace gradloom {

namespace {

/// An absent stride is the window's size.
std::vector<int64_t> window_stride(const Args& args) {
  return args.pair(args.absent("stride") ? "kernel_size" : "stride");
}

}  // namespace

MaxPoolArgs max_pool_args(const Args& args) {
  const std::vector<int64_t> kernel_size = args.pair("kernel_size");
  const std::vector<int64_t> stride = window_stride(args);
  const std::vector<int64_t> padding = args.pair("padding");
  const std::vector<int64_t> dilation = args.pair("dilation");
  return {{kernel_size[0], kernel_size[1], stride[0], stride[1], padding[0], padding[1], args.flag("ceil_mode")},
          {dilation[0], dilation[1]}};
}

at::Tensor run_max_pool(const at::Tensor& input, const MaxPoolArgs& args, bool relu) {
  const PoolWindow& w = args.window;
  if (args.dense() && max_pool_applies(input, w)) return max_pool(input, w, relu);
  at::Tensor output = at::max_pool2d(input, {w.kernel_h, w.kernel_w}, {w.stride_h, w.stride_w},
                                     {w.padding_h, w.padding_w}, args.dilation, w.ceil_mode);
  return relu ? at::relu_(output) : output;
}

namespace {

template <int rank>
Forward build_max_pool(Builder& build) {
  const Args& args = build.args();
  if constexpr (rank == 2) {
    return [pool = max_pool_args(args)](const at::Tensor& input, const Pass&) { return run_max_pool(input, pool, false); };
  }
  return [kernel_size = args.integers("kernel_size"), stride = args.integers("stride"),
          padding = args.integers("padding"), dilation = args.integers("dilation"),
          ceil_mode = args.flag("ceil_mode")](const at::Tensor& input, const Pass&) {
    if constexpr (rank == 1) return at::max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode);
    // Images are single volumes to it: as such neither they nor their gradients may have their channels last.
    else if (input.dim() == 4) {
      const at::Tensor volumes = input.contiguous().unsqueeze(1);
      return at::max_pool3d(volumes, kernel_size, stride, padding, dilation, ceil_mode).squeeze(1);
    } else return at::max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode);
  };
}

struct AvgPool {
  std::vector<int64_t> kernel_size;
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  bool ceil_mode;
  bool count_include_pad = true;
  std::optional<int64_t> divisor = std::nullopt;
};

template <int rank>
at::Tensor avg_pool(const at::Tensor& input, const AvgPool& pool) {
  const auto& [kernel_size, stride, padding, ceil_mode, count_include_pad, divisor] = pool;
  if constexpr (rank == 1) return at::avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad);
  else if constexpr (rank == 2)
    return at::avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor);
  else return at::avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor);
}

template <int rank>
Forward build_avg_pool(Builder& build) {
  const Args& args = build.args();
  AvgPool pool{args.integers("kernel_size"), args.integers("stride"), args.integers("padding"), args.flag("ceil_mode"),
               args.flag("count_include_pad")};
  if (!args.absent("divisor_override")) pool.divisor = args.integer("divisor_override");
  return [pool](const at::Tensor& input, const Pass&) { return avg_pool<rank>(input, pool); };
}

/// torch.nn.functional.lp_pool's own steps, so that values and gradients are its, at zero too.
template <int rank>
Forward build_lp_pool(Builder& build) {
  const Args& args = build.args();
  const AvgPool pool{args.integers("kernel_size"), args.integers("stride"), std::vector<int64_t>(rank, 0),
                     args.flag("ceil_mode")};
  int64_t values = 1;
  for (const int64_t side : pool.kernel_size) values *= side;
  return [pool, values, power = args.number("norm_type")](const at::Tensor& input, const Pass&) {
    const at::Tensor mean = avg_pool<rank>(input.pow(power), pool);
    return (at::sign(mean) * at::relu(at::abs(mean))).mul(values).pow(1 / power);
  };
}

constexpr Names max_arguments = {"kernel_size", "stride", "padding", "dilation", "ceil_mode"};
constexpr Names avg_arguments = {"kernel_size", "stride", "padding", "ceil_mode", "count_include_pad",
                                 "divisor_override"};
constexpr Names lp_arguments = {"norm_type", "kernel_size", "stride", "ceil_mode"};

constexpr LayerKind rows[] = {
    {"MaxPool1d", max_arguments, build_max_pool<1>, true},
    {"MaxPool2d", max_arguments, build_max_pool<2>, true},
    {"MaxPool3d", max_arguments, build_max_pool<3>, true},
    {"AvgPool1d", {"kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"}, build_avg_pool<1>, true},
    {"AvgPool2d", avg_arguments, build_avg_pool<2>, true},
    {"AvgPool3d", avg_arguments, build_avg_pool<3>, true},
    {"LPPool1d", lp_arguments, build_lp_pool<1>, true},
    {"LPPool2d", lp_arguments, build_lp_pool<2>, true},
    {"LPPool3d", lp_arguments, build_lp_pool<3>, true},
};

}  // namespace

std::span<const LayerKind> pool_layers() {
  return rows;
}

}  // namespace gradloom
