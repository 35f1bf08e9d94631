// Pooling.
#include <ATen/ATen.h>

#include "core/layers/families.h"

namespace gradloom {

namespace {

/// An absent stride is the window's size.
std::vector<int64_t> window_stride(const Args& args) {
  return args.pair(args.absent("stride") ? "kernel_size" : "stride");
}

}  // namespace

Forward build_max_pool2d(Builder& build) {
  const Args& args = build.args();
  return [kernel_size = args.pair("kernel_size"), stride = window_stride(args), padding = args.pair("padding"),
          dilation = args.pair("dilation"), ceil_mode = args.flag("ceil_mode")](const at::Tensor& input, const Pass&) {
    return at::max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode);
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

}  // namespace gradloom
