// Images at another size, as torchvision.transforms.v2.functional.resize makes them of floats.
#pragma once

#include <ATen/core/TensorBody.h>

#include <string>
#include <vector>

namespace gradloom {

enum class Interpolation { nearest, nearest_exact, bilinear, bicubic };

Interpolation interpolation(const std::string& name);

at::Tensor resized(const at::Tensor& images, int64_t height, int64_t width, Interpolation mode, bool antialias);

/// [height, width] of an image whose shorter side gets `size`; or `size` itself where it names both.
std::vector<int64_t> resized_dims(int64_t height, int64_t width, const std::vector<int64_t>& size);

}  // namespace gradloom
