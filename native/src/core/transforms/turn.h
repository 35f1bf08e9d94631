// Images turned, shifted, scaled and sheared, as torchvision.transforms.v2.functional.affine does it.
#pragma once

#include <ATen/core/TensorBody.h>

#include <array>
#include <optional>
#include <span>

namespace gradloom {

/// From a place in the result to one in the image, both counted from its middle.
using Affine = std::array<double, 6>;

/// Angles in degrees; `centre` from the image's middle.
Affine inverse_affine(std::array<double, 2> centre, double angle, std::array<double, 2> translate, double scale,
                      std::array<double, 2> shear);

/// torchvision's rotate: counter-clockwise.
Affine inverse_rotation(std::array<double, 2> centre, double angle);

/// Each image by its own matrix. Without `fill` what lies outside is 0; with it, edges blend into it.
at::Tensor turned(const at::Tensor& images, std::span<const Affine> matrices, bool bilinear,
                  std::optional<double> fill);

}  // namespace gradloom
