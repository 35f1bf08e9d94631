// Upsampling: interpolation, and channels rearranged as pixels.
#include <ATen/ATen.h>

#include "core/layers/table.h"

namespace gradloom {

namespace {

using Size = at::OptionalIntArrayRef;
using Scales = std::optional<at::ArrayRef<double>>;
using Copy = at::Tensor (*)(const at::Tensor&, Size, Scales);
using Blend = at::Tensor (*)(const at::Tensor&, Size, bool, Scales);
using Pool = at::Tensor (*)(const at::Tensor&, at::IntArrayRef);

/// By the number of sides.
constexpr Copy nearest[] = {at::upsample_nearest1d, at::upsample_nearest2d, at::upsample_nearest3d};
constexpr Copy nearest_exact[] = {at::_upsample_nearest_exact1d, at::_upsample_nearest_exact2d,
                                  at::_upsample_nearest_exact3d};
constexpr Blend linear[] = {at::upsample_linear1d, at::upsample_bilinear2d, at::upsample_trilinear3d};
constexpr Pool area[] = {at::adaptive_avg_pool1d, at::adaptive_avg_pool2d, at::adaptive_avg_pool3d};

Forward build_upsample(Builder& build) {
  const Args& args = build.args();
  const std::vector<int64_t> size(build.plan().output.begin() + 1, build.plan().output.end());
  const size_t rank = size.size();
  const std::string mode = args.string("mode");
  if (mode == "area") {
    return [=](const at::Tensor& input, const Pass&) { return area[rank - 1](input, size); };
  }
  // A factor that was given is what places are reckoned with; otherwise it is the sizes' ratio.
  const bool recompute = !args.absent("recompute_scale_factor") && args.flag("recompute_scale_factor");
  std::optional<std::vector<double>> scales;
  if (!args.absent("scale_factor") && !recompute) {
    const std::vector<double> given = args.numbers("scale_factor");
    scales = given.size() == rank ? given : std::vector<double>(rank, given.front());
  }
  const auto sized = [=] { return scales ? Size() : Size(size); };
  const auto scaled = [=] { return scales ? Scales(*scales) : Scales(); };
  if (mode == "nearest" || mode == "nearest-exact") {
    const Copy copy = (mode == "nearest" ? nearest : nearest_exact)[rank - 1];
    return [=](const at::Tensor& input, const Pass&) { return copy(input, sized(), scaled()); };
  }
  const Blend blend = mode == "bicubic" ? static_cast<Blend>(at::upsample_bicubic2d) : linear[rank - 1];
  const bool align_corners = !args.absent("align_corners") && args.flag("align_corners");
  return [=](const at::Tensor& input, const Pass&) { return blend(input, sized(), align_corners, scaled()); };
}

Forward build_pixel_shuffle(Builder& build) {
  return [factor = build.args().integer("upscale_factor")](const at::Tensor& input, const Pass&) {
    return at::pixel_shuffle(input, factor);
  };
}

Forward build_pixel_unshuffle(Builder& build) {
  return [factor = build.args().integer("downscale_factor")](const at::Tensor& input, const Pass&) {
    return at::pixel_unshuffle(input, factor);
  };
}

constexpr LayerKind rows[] = {
    {"Upsample", {"size", "scale_factor", "mode", "align_corners", "recompute_scale_factor"}, build_upsample, true},
    {"PixelShuffle", {"upscale_factor"}, build_pixel_shuffle},
    {"PixelUnshuffle", {"downscale_factor"}, build_pixel_unshuffle},
};

}  // namespace

std::span<const LayerKind> upsample_layers() {
  return rows;
}

}  // namespace gradloom
