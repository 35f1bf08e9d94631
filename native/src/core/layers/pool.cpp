// Pooling.
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

Forward build_max_pool2d(Builder& build) {
  return [args = max_pool_args(build.args())](const at::Tensor& input, const Pass&) {
    return run_max_pool(input, args, false);
  };
}

Forward build_avg_pool2d(Builder& build) {
  const Args& args = build.args();
  const std::optional<int64_t> divisor =
      args.absent("divisor_override") ? std::nullopt : std::optional(args.integer("divisor_override"));
  return [kernel_size = args.pair("kernel_size"), stride = window_stride(args), padding = args.pair("padding"),
          ceil_mode = args.flag("ceil_mode"), count_include_pad = args.flag("count_include_pad"),
          divisor](const at::Tensor& input, const Pass&) {
    return at::avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor);
  };
}

Forward build_adaptive_avg_pool2d(Builder& build) {
  return [size = build.args().pair("output_size")](const at::Tensor& input, const Pass&) {
    return at::adaptive_avg_pool2d(input, size);
  };
}

constexpr LayerKind rows[] = {
    {"MaxPool2d", {"kernel_size", "stride", "padding", "dilation", "ceil_mode"}, build_max_pool2d, true},
    {"AvgPool2d",
     {"kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"},
     build_avg_pool2d,
     true},
    {"AdaptiveAvgPool2d", {"output_size"}, build_adaptive_avg_pool2d, true},
};

}  // namespace

std::span<const LayerKind> pool_layers() {
  return rows;
}

}  // namespace gradloom
