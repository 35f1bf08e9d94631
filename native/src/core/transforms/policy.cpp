// RandAugment: torchvision's list of operations and their magnitudes.
#include <ATen/ATen.h>

#include <cmath>
#include <map>
#include <numbers>

#include "core/errors.h"
#include "core/transforms/colour_functions.h"
#include "core/transforms/families.h"
#include "core/transforms/turn.h"

namespace gradloom {

namespace {

enum Operation {
  identity,
  shear_x,
  shear_y,
  translate_x,
  translate_y,
  rotate,
  brightness,
  colour,
  contrast,
  sharpness,
  posterized,
  solarized,
  contrasted,
  equalized,
  operations,
};

/// Numbers drawn: an operation and its magnitude, as often as operations are wanted.
class RandAugment final : public Transform {
 public:
  RandAugment(const Args& args, const std::vector<int64_t>& input, c10::Device)
      : wanted_(args.integer("num_ops")), bilinear_(args.string("interpolation") == "bilinear") {
    if (input.size() != 3 || (input[0] != 1 && input[0] != 3))
      throw Error("BAD_CALL", "RandAugment needs images of 1 or 3 channels.", {}, "data.transforms");
    if (!args.absent("fill")) fill_ = args.number("fill");
    height_ = static_cast<double>(input[1]);
    width_ = static_cast<double>(input[2]);
    const int64_t bins = args.integer("num_magnitude_bins");
    const int64_t magnitude = args.integer("magnitude");
    const auto along = [&](double from, double to) {
      return at::linspace(from, to, bins, at::kFloat)[magnitude].item<double>();
    };
    for (const Operation shear : {shear_x, shear_y}) magnitudes_[shear] = along(0, 0.3);
    magnitudes_[translate_x] = along(0, 150.0 / 331.0 * width_);
    magnitudes_[translate_y] = along(0, 150.0 / 331.0 * height_);
    magnitudes_[rotate] = along(0, 30);
    for (const Operation change : {brightness, colour, contrast, sharpness}) magnitudes_[change] = along(0, 0.9);
    const at::Tensor taken = at::arange(bins).div(static_cast<double>(bins - 1) / 4);
    magnitudes_[posterized] = at::rsub(taken, 8).round()[magnitude].item<double>();
    magnitudes_[solarized] = along(1, 0);
  }

  Drawn draw(Draws* draws) const override {
    if (draws == nullptr) return left_out();
    Drawn drawn;
    for (int64_t i = 0; i < wanted_; ++i) {
      const auto operation = static_cast<Operation>(draws->below(operations));
      double magnitude = magnitudes_[operation];
      const bool has_sign = operation >= shear_x && operation <= sharpness;
      if (has_sign && draws->uniform() <= 0.5F) magnitude = -magnitude;
      drawn.numbers.insert(drawn.numbers.end(), {static_cast<double>(operation), magnitude});
    }
    return drawn;
  }

  at::Tensor apply(const at::Tensor& batch, std::span<const Drawn> drawn) const override {
    if (!drawn.front().applies) return batch;
    at::Tensor result = batch;
    for (size_t round = 0; round < static_cast<size_t>(wanted_); ++round) {
      // Samples that drew the same go through it together.
      std::map<std::pair<double, double>, std::vector<int64_t>> alike;
      for (size_t i = 0; i < drawn.size(); ++i) {
        const double* const numbers = drawn[i].numbers.data() + 2 * round;
        alike[{numbers[0], numbers[1]}].push_back(static_cast<int64_t>(i));
      }
      for (const auto& [what, samples] : alike) {
        const auto operation = static_cast<Operation>(what.first);
        if (operation == identity) continue;
        const double magnitude = what.second;
        result = apply_to(result, samples,
                          [&](const at::Tensor& images) { return changed(images, operation, magnitude); });
      }
    }
    return result;
  }

 private:
  at::Tensor changed(const at::Tensor& images, Operation operation, double magnitude) const {
    const Factor factor(1.0 + magnitude);
    // Shears keep the upper left corner in its place.
    const std::array<double, 2> corner{-width_ * 0.5, -height_ * 0.5};
    const double degrees = std::atan(magnitude) * (180.0 / std::numbers::pi);
    const double whole = std::trunc(magnitude);
    switch (operation) {
      case shear_x:
        return all_turned(images, inverse_affine(corner, 0, {0, 0}, 1, {degrees, 0}));
      case shear_y:
        return all_turned(images, inverse_affine(corner, 0, {0, 0}, 1, {0, degrees}));
      case translate_x:
        return all_turned(images, inverse_affine({0, 0}, 0, {whole, 0}, 1, {0, 0}));
      case translate_y:
        return all_turned(images, inverse_affine({0, 0}, 0, {0, whole}, 1, {0, 0}));
      case rotate:
        return all_turned(images, inverse_rotation({0, 0}, magnitude));
      case brightness:
        return adjust_brightness(images, factor);
      case colour:
        return adjust_saturation(images, factor);
      case contrast:
        return adjust_contrast(images, factor);
      case sharpness:
        return adjust_sharpness(images, factor);
      case posterized:
        return posterize(images, static_cast<int64_t>(magnitude));
      case solarized:
        return solarize(images, magnitude);
      case contrasted:
        return autocontrast(images);
      case equalized:
        return equalize(images);
      default:
        return images;
    }
  }

  at::Tensor all_turned(const at::Tensor& images, const Affine& matrix) const {
    return turned(images, std::vector<Affine>(static_cast<size_t>(images.size(0)), matrix), bilinear_, fill_);
  }

  int64_t wanted_;
  bool bilinear_;
  std::optional<double> fill_;
  double height_;
  double width_;
  std::array<double, operations> magnitudes_{};
};

constexpr TransformKind kinds[] = {
    {"RandAugment", {"num_ops", "magnitude", "num_magnitude_bins", "interpolation", "fill"}, &build<RandAugment>},
};

}  // namespace

std::span<const TransformKind> policy_transforms() {
  return kinds;
}

}  // namespace gradloom
