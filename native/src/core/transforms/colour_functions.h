// torchvision.transforms.v2.functional's changes of colour, of float images [n, C, H, W] in 0–1.
#pragma once

#include <ATen/core/TensorBody.h>

#include <vector>

namespace gradloom {

/// A factor for all images, or one for each: [n, 1, 1, 1].
class Factor {
 public:
  explicit Factor(double all) : all_(all) {}
  Factor(const std::vector<double>& each, at::Device device);

  at::Tensor times(const at::Tensor& images) const;
  /// images · factor + other · (1 − factor), kept in 0–1.
  at::Tensor blend(const at::Tensor& images, const at::Tensor& other) const;
  /// images + (blurred − images) · (1 − factor).
  at::Tensor sharpen(const at::Tensor& images, const at::Tensor& blurred) const;
  /// images + factor.
  at::Tensor added_to(const at::Tensor& images) const;

 private:
  double all_ = 0;
  at::Tensor each_;
  at::Tensor rest_;
};

at::Tensor grayscale(const at::Tensor& images, int64_t channels);
at::Tensor adjust_brightness(const at::Tensor& images, const Factor& factor);
at::Tensor adjust_contrast(const at::Tensor& images, const Factor& factor);
at::Tensor adjust_saturation(const at::Tensor& images, const Factor& factor);
at::Tensor adjust_hue(const at::Tensor& images, const Factor& shift);
at::Tensor adjust_sharpness(const at::Tensor& images, const Factor& factor);
at::Tensor posterize(const at::Tensor& images, int64_t bits);
at::Tensor solarize(const at::Tensor& images, double threshold);
at::Tensor autocontrast(const at::Tensor& images);
at::Tensor equalize(const at::Tensor& images);

}  // namespace gradloom
