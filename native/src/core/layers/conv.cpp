// Convolutions.
#include <ATen/ATen.h>
#include <ATen/Context.h>

#include "core/layers/table.h"
#include "core/layers/init.h"
#include "core/layers/max_pool_args.h"

namespace gradloom {

namespace {

/// Widths for at::pad: last dimension first, before and after. `same` puts the odd one after, as PyTorch does.
std::vector<int64_t> pad_widths(const Args& args, const std::vector<int64_t>& kernel_size,
                                const std::vector<int64_t>& dilation) {
  if (!args.is_string("padding")) {
    const std::vector<int64_t> padding = args.pair("padding");
    return {padding[1], padding[1], padding[0], padding[0]};
  }
  std::vector<int64_t> widths(4, 0);
  if (args.string("padding") == "valid") return widths;
  for (const size_t dim : {0, 1}) {
    const int64_t total = dilation[dim] * (kernel_size[dim] - 1);
    widths[2 * (1 - dim)] = total / 2;
    widths[2 * (1 - dim) + 1] = total - total / 2;
  }
  return widths;
}

/// oneDNN convolves channels_last without reordering its input, and pooling after it runs along contiguous channels:
/// two to three times faster on the CPU. A convolution follows its weight's layout, and the layers after it follow
/// their input's.
at::Tensor in_fast_layout(const at::Tensor& weight, c10::Device device) {
  if (!device.is_cpu() || !at::hasMKLDNN() || !at::globalContext().userEnabledMkldnn()) return weight;
  return at::empty(weight.sizes(), weight.options().memory_format(at::MemoryFormat::ChannelsLast)).copy_(weight);
}

at::Tensor run_conv(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, const ConvArgs& conv) {
  return at::conv2d(input, weight, bias, conv.stride, conv.padding, conv.dilation, conv.groups);
}

/// With a MaxPool2d next, or a ReLU and then a MaxPool2d, all of them run together.
void offer_pooling(Builder& build, const at::Tensor& weight, const at::Tensor& bias, const ConvArgs& conv) {
  const std::span<const LayerPlan> next = build.following();
  const bool relu = !next.empty() && next[0].kind == "ReLU";
  const size_t at_pool = relu ? 1 : 0;
  if (next.size() <= at_pool || next[at_pool].kind != "MaxPool2d") return;
  const MaxPoolArgs pool = max_pool_args(next[at_pool].args);
  if (!pool.dense()) return;
  build.run_together(at_pool + 2, [=](const at::Tensor& input, const Pass&) {
    if (conv_max_pool_applies(input, weight, conv, pool.window))
      return conv_max_pool(input, weight, bias, conv, pool.window, relu);
    return run_max_pool(run_conv(input, weight, bias, conv), pool, relu);
  });
}

Forward build_conv2d(Builder& build) {
  const Args& args = build.args();
  const std::vector<int64_t> kernel_size = args.pair("kernel_size");
  const std::vector<int64_t> stride = args.pair("stride");
  const std::vector<int64_t> dilation = args.pair("dilation");
  const int64_t groups = args.integer("groups");
  const std::vector<int64_t> shape = {args.integer("out_channels"), args.integer("in_channels") / groups,
                                      kernel_size[0], kernel_size[1]};
  const at::Tensor weight = build.parameter("weight", in_fast_layout(draw_weight(shape), build.device()));
  const at::Tensor bias = args.flag("bias") ? build.parameter("bias", draw_bias(shape)) : at::Tensor();

  const std::string padding_mode = args.string("padding_mode");
  if (padding_mode != "zeros") {
    const std::vector<int64_t> widths = pad_widths(args, kernel_size, dilation);
    return [=](const at::Tensor& input, const Pass&) {
      const at::Tensor padded = at::pad(input, widths, padding_mode);
      return at::conv2d(padded, weight, bias, stride, at::IntArrayRef{0, 0}, dilation, groups);
    };
  }
  if (args.is_string("padding")) {
    const std::string padding = args.string("padding");
    return [=](const at::Tensor& input, const Pass&) {
      return at::conv2d(input, weight, bias, stride, padding, dilation, groups);
    };
  }
  const ConvArgs conv{stride, args.pair("padding"), dilation, groups};
  offer_pooling(build, weight, bias, conv);
  return [=](const at::Tensor& input, const Pass&) { return run_conv(input, weight, bias, conv); };
}

constexpr LayerKind rows[] = {
    {"Conv2d",
     {"in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups", "bias", "padding_mode"},
     build_conv2d,
     true},
};

}  // namespace

std::span<const LayerKind> conv_layers() {
  return rows;
}

}  // namespace gradloom
