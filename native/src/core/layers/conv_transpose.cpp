// Transposed convolutions.
#include <ATen/ATen.h>

#include "core/layers/table.h"
#include "core/layers/init.h"

namespace gradloom {

namespace {

template <int rank>
Forward build_conv_transpose(Builder& build) {
  const Args& args = build.args();
  const int64_t groups = args.integer("groups");
  const int64_t out_channels = args.integer("out_channels");
  std::vector<int64_t> shape = {args.integer("in_channels"), out_channels / groups};
  const std::vector<int64_t> kernel_size = args.integers("kernel_size");
  shape.insert(shape.end(), kernel_size.begin(), kernel_size.end());
  const at::Tensor weight = build.parameter("weight", draw_weight(shape));
  const at::Tensor bias = args.flag("bias") ? build.parameter("bias", draw_bias(shape, out_channels)) : at::Tensor();
  return [=, stride = args.integers("stride"), padding = args.integers("padding"),
          output_padding = args.integers("output_padding"),
          dilation = args.integers("dilation")](const at::Tensor& input, const Pass&) {
    if constexpr (rank == 1)
      return at::conv_transpose1d(input, weight, bias, stride, padding, output_padding, groups, dilation);
    else if constexpr (rank == 2)
      return at::conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation);
    else return at::conv_transpose3d(input, weight, bias, stride, padding, output_padding, groups, dilation);
  };
}

constexpr Names arguments = {"in_channels",    "out_channels", "kernel_size", "stride",   "padding",
                             "output_padding", "groups",       "bias",        "dilation", "padding_mode"};

constexpr LayerKind rows[] = {
    {"ConvTranspose1d", arguments, build_conv_transpose<1>, true},
    {"ConvTranspose2d", arguments, build_conv_transpose<2>, true},
    {"ConvTranspose3d", arguments, build_conv_transpose<3>, true},
};

}  // namespace

std::span<const LayerKind> conv_transpose_layers() {
  return rows;
}

}  // namespace gradloom
