// Each function takes the steps of torchvision's own, in its order, so that the results round alike.
#include "core/transforms/colour_functions.h"

#include <ATen/ATen.h>

namespace gradloom {

namespace {

at::Tensor brightness_of(const at::Tensor& images) {
  const auto channels = images.unbind(1);
  return channels[0].mul(0.2989).add_(channels[1], 0.587).add_(channels[2], 0.114).unsqueeze(1);
}

at::Tensor hsv_of(const at::Tensor& images) {
  const auto channels = images.unbind(1);
  const at::Tensor& red = channels[0];
  const at::Tensor& green = channels[1];
  const auto [least, most] = at::aminmax(images, 1);
  const at::Tensor grey = most.eq(least);
  const at::Tensor range = most.sub(least);
  const at::Tensor ones = at::ones_like(most);
  const at::Tensor saturation = range.div(at::where(grey, ones, most));
  const at::Tensor divisor = at::where(grey, ones, range).unsqueeze(1);
  const auto away = most.unsqueeze(1).sub(images).div(divisor).unbind(1);
  const at::Tensor not_red = most.ne(red);
  const at::Tensor is_green = most.eq(green);
  const at::Tensor of_green = away[0].add(2.0).sub_(away[2]).mul_(is_green.logical_and(not_red));
  const at::Tensor of_red = away[2].sub(away[1]).mul_(not_red.logical_not());
  const at::Tensor of_blue = away[1].add(4.0).sub_(away[0]).mul_(not_red.logical_and(is_green.logical_not()));
  const at::Tensor hue = of_red.add(of_green).add_(of_blue).mul_(1.0 / 6.0).add_(1.0).fmod_(1.0);
  return at::stack({hue, saturation, most}, 1);
}

at::Tensor rgb_of(const at::Tensor& hue, const at::Tensor& saturation, const at::Tensor& value) {
  const at::Tensor sixths = hue.mul(6);
  const at::Tensor sector = sixths.floor();
  const at::Tensor part = sixths.sub(sector);
  const at::Tensor mixed = saturation.mul(part);
  const at::Tensor left = at::rsub(saturation, 1.0);
  const at::Tensor q = at::rsub(mixed, 1.0).mul_(value).clamp_(0.0, 1.0);
  const at::Tensor t = mixed.add(left).mul_(value).clamp_(0.0, 1.0);
  const at::Tensor p = left.mul(value).clamp_(0.0, 1.0);
  const at::Tensor choices = at::stack({value, p, q, t}, 1);
  static constexpr int64_t which[3][6] = {{0, 2, 1, 1, 3, 0}, {3, 0, 0, 2, 1, 1}, {1, 1, 3, 0, 0, 2}};
  const at::Tensor table = at::tensor(at::ArrayRef<int64_t>(&which[0][0], 18), at::kLong).view({3, 6}).to(hue.device());
  const at::Tensor places = sector.to(at::kLong).remainder_(6).flatten();
  const at::Tensor select = table.index_select(1, places).view({3, hue.size(0), hue.size(1), hue.size(2)}).movedim(0, 1);
  return choices.gather(1, select);
}

}  // namespace

Factor::Factor(const std::vector<double>& each, at::Device device) {
  const int64_t count = static_cast<int64_t>(each.size());
  const at::Tensor factors = at::tensor(at::ArrayRef<double>(each), at::kDouble).view({count, 1, 1, 1});
  each_ = factors.to(at::kFloat).to(device);
  rest_ = at::rsub(factors, 1.0).to(at::kFloat).to(device);
}

at::Tensor Factor::times(const at::Tensor& images) const {
  return each_.defined() ? images.mul(each_) : images.mul(all_);
}

at::Tensor Factor::blend(const at::Tensor& images, const at::Tensor& other) const {
  const at::Tensor own = times(images);
  return (each_.defined() ? own.add_(other.mul(rest_)) : own.add_(other, 1.0 - all_)).clamp_(0, 1);
}

at::Tensor Factor::sharpen(const at::Tensor& images, const at::Tensor& blurred) const {
  const at::Tensor change = blurred.sub(images);
  return each_.defined() ? images.add(change.mul(rest_)) : images.add(change, 1.0 - all_);
}

at::Tensor Factor::added_to(const at::Tensor& images) const {
  return each_.defined() ? images.add(each_) : images.add(all_);
}

at::Tensor grayscale(const at::Tensor& images, int64_t channels) {
  if (images.size(1) == 1) return channels == 1 ? images : images.repeat({1, channels, 1, 1});
  const at::Tensor grey = brightness_of(images);
  return channels == 1 ? grey : grey.expand({-1, channels, -1, -1}).contiguous();
}

at::Tensor adjust_brightness(const at::Tensor& images, const Factor& factor) {
  return factor.times(images).clamp_(0, 1);
}

at::Tensor adjust_contrast(const at::Tensor& images, const Factor& factor) {
  const at::Tensor grey = images.size(1) == 3 ? brightness_of(images) : images;
  return factor.blend(images, grey.mean({1, 2, 3}, /*keepdim=*/true));
}

at::Tensor adjust_saturation(const at::Tensor& images, const Factor& factor) {
  return images.size(1) == 1 ? images : factor.blend(images, brightness_of(images));
}

at::Tensor adjust_hue(const at::Tensor& images, const Factor& shift) {
  if (images.size(1) == 1) return images;
  const auto parts = hsv_of(images).unbind(1);
  const at::Tensor hue = shift.added_to(parts[0].unsqueeze(1)).squeeze(1).remainder_(1.0);
  return rgb_of(hue, parts[1], parts[2]);
}

at::Tensor adjust_sharpness(const at::Tensor& images, const Factor& factor) {
  const int64_t height = images.size(2);
  const int64_t width = images.size(3);
  if (height <= 2 || width <= 2) return images;
  constexpr float a = 1.0 / 13.0;
  constexpr float b = 5.0 / 13.0;
  const int64_t channels = images.size(1);
  const at::Tensor kernel =
      at::tensor({a, a, a, a, b, a, a, a, a}, at::kFloat).view({1, 1, 3, 3}).expand({channels, 1, 3, 3}).to(images.device());
  const at::Tensor blurred = at::conv2d(images, kernel, at::Tensor(), at::IntArrayRef{1}, at::IntArrayRef{0}, at::IntArrayRef{1}, channels);
  const at::Tensor result = images.clone();
  const at::Tensor inner = result.narrow(2, 1, height - 2).narrow(3, 1, width - 2);
  inner.copy_(factor.sharpen(inner, blurred));
  return result.clamp(0, 1);
}

at::Tensor posterize(const at::Tensor& images, int64_t bits) {
  const auto levels = static_cast<double>(int64_t{1} << bits);
  return images.mul(levels).floor_().clamp_(0, levels - 1).mul_(1.0 / levels);
}

at::Tensor solarize(const at::Tensor& images, double threshold) {
  return at::where(images.ge(threshold), at::rsub(images, 1.0), images);
}

at::Tensor autocontrast(const at::Tensor& images) {
  const at::Tensor least = images.amin({2, 3}, /*keepdim=*/true);
  const at::Tensor most = images.amax({2, 3}, /*keepdim=*/true);
  const at::Tensor plain = most.eq(least);
  const at::Tensor range = most.sub(least).masked_fill_(plain, 1.0);
  return images.sub(least.masked_fill(plain, 0.0)).div_(range).clamp_(0, 1);
}

at::Tensor equalize(const at::Tensor& images) {
  // As bytes, which torchvision makes of floats by this very factor.
  const at::Tensor flat = images.mul(255.0 + 1.0 - 1e-3).to(at::kByte).flatten(2).to(at::kLong);
  at::Tensor counts = at::zeros({images.size(0), images.size(1), 256}, flat.options().dtype(at::kInt));
  counts.scatter_add_(-1, flat, at::ones({1}, counts.options()).expand_as(flat));
  at::Tensor sums = counts.cumsum(-1);
  const at::Tensor highest = sums.argmax(-1).unsqueeze(-1);
  const at::Tensor step = at::rsub(counts.gather(-1, highest), flat.size(-1)).floor_divide_(255);
  const at::Tensor spread = step.ne(0).unsqueeze(-1);
  sums = sums.narrow(-1, 0, 255)
             .add(step.floor_divide(2))
             .floor_divide_(step.clamp_min(1))
             .clamp_(0, 255);
  const at::Tensor table = at::cat({at::zeros_like(sums.narrow(-1, 0, 1)), sums}, -1);
  const at::Tensor result = at::where(spread, table.gather(-1, flat).view_as(images), flat.view_as(images));
  return result.to(at::kFloat).mul_(1.0 / 255.0);
}

}  // namespace gradloom
