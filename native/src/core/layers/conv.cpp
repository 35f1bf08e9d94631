// Convolutions.
#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <algorithm>

#include "core/layers/table.h"
#include "core/layers/init.h"
#include "core/layers/max_pool_args.h"

namespace gradloom {

namespace {

/// Widths for at::pad: last dimension first, before and after. `same` puts the odd one after, as PyTorch does.
std::vector<int64_t> pad_widths(const Args& args, const std::vector<int64_t>& kernel_size,
                                const std::vector<int64_t>& dilation) {
  const size_t rank = kernel_size.size();
  std::vector<int64_t> widths(2 * rank, 0);
  const bool word = args.is_string("padding");
  if (word && args.string("padding") == "valid") return widths;
  const std::vector<int64_t> padding = word ? std::vector<int64_t>() : args.integers("padding");
  for (size_t dim = 0; dim < rank; ++dim) {
    const int64_t total = word ? dilation[dim] * (kernel_size[dim] - 1) : 2 * padding[dim];
    widths[2 * (rank - 1 - dim)] = total / 2;
    widths[2 * (rank - 1 - dim) + 1] = total - total / 2;
  }
  return widths;
}

/// oneDNN convolves channels_last without reordering its input, and pooling after it runs along contiguous channels:
/// two to three times faster on the CPU. A convolution follows its weight's layout, and the layers after it follow
/// their input's.
at::Tensor in_fast_layout(const at::Tensor& weight, c10::Device device) {
  const bool image = weight.dim() == 4;
  if (!image || !device.is_cpu() || !at::hasMKLDNN() || !at::globalContext().userEnabledMkldnn()) return weight;
  return at::empty(weight.sizes(), weight.options().memory_format(at::MemoryFormat::ChannelsLast)).copy_(weight);
}

template <int rank, typename Padding>
at::Tensor convolve(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, at::IntArrayRef stride,
                    const Padding& padding, at::IntArrayRef dilation, int64_t groups) {
  if constexpr (rank == 1) return at::conv1d(input, weight, bias, stride, padding, dilation, groups);
  else if constexpr (rank == 2) return at::conv2d(input, weight, bias, stride, padding, dilation, groups);
  else return at::conv3d(input, weight, bias, stride, padding, dilation, groups);
}

at::Tensor run_conv(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, const ConvArgs& conv) {
  return convolve<2>(input, weight, bias, conv.stride, conv.padding, conv.dilation, conv.groups);
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

struct Weights {
  at::Tensor weight;
  at::Tensor bias;  // undefined: none
};

/// `prefix` goes before the tensors' names.
Weights draw_weights(Builder& build, const std::string& prefix, std::vector<int64_t> shape,
                     const std::vector<int64_t>& kernel_size) {
  shape.insert(shape.end(), kernel_size.begin(), kernel_size.end());
  Weights made;
  made.weight = build.parameter(prefix + "weight", in_fast_layout(draw_weight(shape), build.device()));
  if (build.args().flag("bias")) made.bias = build.parameter(prefix + "bias", draw_bias(shape));
  return made;
}

/// The forward that the layer's window arguments ask for.
template <int rank>
Forward slide(const Args& args, const Weights& drawn, int64_t groups) {
  const std::vector<int64_t> kernel_size = args.integers("kernel_size");
  const std::vector<int64_t> stride = args.integers("stride");
  const std::vector<int64_t> dilation = args.integers("dilation");
  const at::Tensor weight = drawn.weight, bias = drawn.bias;
  const std::string padding_mode = args.string("padding_mode");
  if (padding_mode != "zeros") {
    const std::vector<int64_t> widths = pad_widths(args, kernel_size, dilation);
    const std::vector<int64_t> none(rank, 0);
    return [=](const at::Tensor& input, const Pass&) {
      return convolve<rank>(at::pad(input, widths, padding_mode), weight, bias, stride, none, dilation, groups);
    };
  }
  if (args.is_string("padding")) {
    const std::string padding = args.string("padding");
    return [=](const at::Tensor& input, const Pass&) {
      return convolve<rank>(input, weight, bias, stride, padding, dilation, groups);
    };
  }
  return [=, padding = args.integers("padding")](const at::Tensor& input, const Pass&) {
    return convolve<rank>(input, weight, bias, stride, padding, dilation, groups);
  };
}

/// oneDNN's convolution with a 1×1 kernel, a stride and 2 to 15 channels that lie last writes beyond its memory (seen with
/// AVX-512, from PyTorch as well).
bool oversteps(const Args& args, c10::Device device) {
  const auto all = [&](const char* name, int64_t value) {
    const std::vector<int64_t> sizes = args.integers(name);
    return std::all_of(sizes.begin(), sizes.end(), [=](int64_t size) { return size == value; });
  };
  const bool padded = args.is_string("padding") ? args.string("padding") != "valid" : !all("padding", 0);
  return device.is_cpu() && all("kernel_size", 1) && !all("stride", 1) && !padded && args.integer("groups") == 1 &&
         args.integer("in_channels") < 16;
}

/// The same convolution of the positions alone that it reads.
Forward of_positions_read(const Args& args, const Weights& drawn) {
  const std::vector<int64_t> stride = args.integers("stride");
  return [=](const at::Tensor& input, const Pass&) {
    const at::Tensor read = input.slice(2, 0, input.size(2), stride[0]).slice(3, 0, input.size(3), stride[1]);
    return at::conv2d(read, drawn.weight, drawn.bias);
  };
}

template <int rank>
Forward build_conv(Builder& build) {
  const Args& args = build.args();
  const int64_t groups = args.integer("groups");
  const Weights drawn = draw_weights(build, "", {args.integer("out_channels"), args.integer("in_channels") / groups},
                                     args.integers("kernel_size"));
  if (rank == 2 && oversteps(args, build.device())) return of_positions_read(args, drawn);
  if (rank == 2 && !args.is_string("padding") && args.string("padding_mode") == "zeros") {
    offer_pooling(build, drawn.weight, drawn.bias,
                  {args.integers("stride"), args.integers("padding"), args.integers("dilation"), groups});
  }
  return slide<rank>(args, drawn, groups);
}

Forward build_separable_conv2d(Builder& build) {
  const Args& args = build.args();
  const int64_t channels = args.integer("in_channels");
  const Weights depthwise = draw_weights(build, "depthwise.", {channels, 1}, args.integers("kernel_size"));
  const Weights pointwise = draw_weights(build, "pointwise.", {args.integer("out_channels"), channels}, {1, 1});
  return [=, each = slide<2>(args, depthwise, channels)](const at::Tensor& input, const Pass& pass) {
    return at::conv2d(each(input, pass), pointwise.weight, pointwise.bias);
  };
}

constexpr Names arguments = {"in_channels", "out_channels", "kernel_size", "stride",      "padding",
                             "dilation",    "groups",       "bias",        "padding_mode"};

constexpr LayerKind rows[] = {
    {"Conv1d", arguments, build_conv<1>, true},
    {"Conv2d", arguments, build_conv<2>, true},
    {"Conv3d", arguments, build_conv<3>, true},
    {"DepthwiseSeparableConv2d",
     {"in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "bias", "padding_mode"},
     build_separable_conv2d,
     true},
};

}  // namespace

std::span<const LayerKind> conv_layers() {
  return rows;
}

}  // namespace gradloom
