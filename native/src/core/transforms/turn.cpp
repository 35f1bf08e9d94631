// RandomRotation and RandomAffine: one matrix a sample, one grid for the whole batch.
#include "core/transforms/turn.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numbers>

#include "core/errors.h"
#include "core/transforms/families.h"

namespace gradloom {

Affine inverse_affine(std::array<double, 2> centre, double angle, std::array<double, 2> translate, double scale,
                      std::array<double, 2> shear) {
  // Python's math.radians multiplies by π / 180.
  constexpr double radians = std::numbers::pi / 180.0;
  const double turn = angle * radians;
  const double sy = shear[1] * radians;
  const double tan_sx = std::tan(shear[0] * radians);
  const double a = std::cos(turn - sy) / std::cos(sy);
  const double b = -(a * tan_sx + std::sin(turn));
  const double c = std::sin(turn - sy) / std::cos(sy);
  const double d = std::cos(turn) - c * tan_sx;
  Affine matrix{d / scale, -b / scale, 0, -c / scale, a / scale, 0};
  const double x = centre[0] + translate[0];
  const double y = centre[1] + translate[1];
  matrix[2] += centre[0] - matrix[0] * x - matrix[1] * y;
  matrix[5] += centre[1] - matrix[3] * x - matrix[4] * y;
  return matrix;
}

Affine inverse_rotation(std::array<double, 2> centre, double angle) {
  double turn = std::fmod(angle, 360.0);
  if (turn < 0) turn += 360.0;
  return inverse_affine(centre, -turn, {0, 0}, 1, {0, 0});
}

at::Tensor turned(const at::Tensor& images, std::span<const Affine> matrices, bool bilinear,
                  std::optional<double> fill) {
  const int64_t count = images.size(0);
  const int64_t height = images.size(2);
  const int64_t width = images.size(3);
  at::Tensor theta = at::empty({count, 2, 3}, at::kFloat);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t k = 0; k < 6; ++k)
      theta.data_ptr<float>()[6 * i + k] = static_cast<float>(matrices[static_cast<size_t>(i)][static_cast<size_t>(k)]);
  }
  const auto options = at::TensorOptions(images.device()).dtype(at::kFloat);
  const auto places = [&](int64_t size) {
    return at::linspace((1.0 - static_cast<double>(size)) * 0.5, (static_cast<double>(size) - 1.0) * 0.5, size, options);
  };
  at::Tensor base = at::empty({1, height, width, 3}, options);
  base.select(3, 0).copy_(places(width));
  base.select(3, 1).copy_(places(height).unsqueeze(1));
  base.select(3, 2).fill_(1);
  const at::Tensor halves =
      at::tensor({0.5F * static_cast<float>(width), 0.5F * static_cast<float>(height)}, at::kFloat).to(images.device());
  const at::Tensor rescaled = theta.to(images.device()).transpose(1, 2).div_(halves);
  const at::Tensor grid =
      base.view({1, height * width, 3}).expand({count, height * width, 3}).bmm(rescaled).view({count, height, width, 2});
  at::Tensor source = images;
  if (fill) source = at::cat({images, at::ones({count, 1, height, width}, options)}, 1);
  const at::Tensor sampled = at::grid_sampler(source, grid, bilinear ? 0 : 1, 0, false);
  if (!fill) return sampled;
  const at::Tensor inside = sampled.narrow(1, images.size(1), 1);
  const at::Tensor values = sampled.narrow(1, 0, images.size(1));
  if (!bilinear) return values.masked_fill(inside.lt(0.5), *fill);
  return values.sub(*fill).mul_(inside).add_(*fill);
}

namespace {

/// What both have in common: a matrix drawn for each sample. Evaluation sees the images as they are.
class Turn : public Transform {
 public:
  Turn(const Args& args, const std::vector<int64_t>& input)
      : bilinear_(args.string("interpolation") == "bilinear"), fill_(args.number("fill")) {
    if (input.size() != 3) throw Error("BAD_CALL", "Only images can be turned.", {}, "data.transforms");
    height_ = static_cast<double>(input[1]);
    width_ = static_cast<double>(input[2]);
    if (args.absent("center")) return;
    const std::vector<double> given = args.numbers("center");
    centre_ = {given.at(0) - width_ * 0.5, given.at(1) - height_ * 0.5};
  }

  Drawn draw(Draws* draws) const override {
    if (draws == nullptr) return left_out();
    const Affine drawn = matrix(*draws);
    return {.applies = true, .numbers = {drawn.begin(), drawn.end()}, .values = {}};
  }

  at::Tensor apply(const at::Tensor& batch, std::span<const Drawn> drawn) const override {
    return turned_by(batch, drawn, bilinear_, fill_);
  }

  at::Tensor apply_masks(const at::Tensor& masks, std::span<const Drawn> drawn, double fill) const override {
    return turned_by(masks, drawn, false, fill);
  }

 protected:
  virtual Affine matrix(Draws& draws) const = 0;

  double height_ = 0;
  double width_ = 0;
  std::array<double, 2> centre_{0, 0};

 private:
  static at::Tensor turned_by(const at::Tensor& images, std::span<const Drawn> drawn, bool bilinear, double fill) {
    if (!drawn.front().applies) return images;
    std::vector<Affine> matrices;
    for (const Drawn& one : drawn) {
      Affine& matrix = matrices.emplace_back();
      std::copy_n(one.numbers.begin(), matrix.size(), matrix.begin());
    }
    return turned(images, matrices, bilinear, fill);
  }

  bool bilinear_;
  double fill_;
};

class RandomRotation final : public Turn {
 public:
  RandomRotation(const Args& args, const std::vector<int64_t>& input, c10::Device)
      : Turn(args, input), degrees_(args.numbers("degrees")) {}

 private:
  Affine matrix(Draws& draws) const override {
    return inverse_rotation(centre_, draws.between(degrees_[0], degrees_[1]));
  }

  std::vector<double> degrees_;
};

class RandomAffine final : public Turn {
 public:
  RandomAffine(const Args& args, const std::vector<int64_t>& input, c10::Device)
      : Turn(args, input),
        degrees_(args.numbers("degrees")),
        translate_(optional(args, "translate")),
        scale_(optional(args, "scale")),
        shear_(optional(args, "shear")) {}

 private:
  static std::vector<double> optional(const Args& args, std::string_view name) {
    return args.absent(name) ? std::vector<double>() : args.numbers(name);
  }

  Affine matrix(Draws& draws) const override {
    const double angle = draws.between(degrees_[0], degrees_[1]);
    std::array<double, 2> translate{0, 0};
    if (!translate_.empty()) {
      const double most[]{translate_[0] * width_, translate_[1] * height_};
      for (size_t side = 0; side < 2; ++side)
        translate[side] = std::nearbyint(draws.between(-most[side], most[side]));
    }
    const double scale = scale_.empty() ? 1 : draws.between(scale_[0], scale_[1]);
    std::array<double, 2> shear{0, 0};
    if (!shear_.empty()) shear[0] = draws.between(shear_[0], shear_[1]);
    if (shear_.size() == 4) shear[1] = draws.between(shear_[2], shear_[3]);
    return inverse_affine(centre_, angle, translate, scale, shear);
  }

  std::vector<double> degrees_;
  std::vector<double> translate_;
  std::vector<double> scale_;
  std::vector<double> shear_;
};

constexpr TransformKind kinds[] = {
    {"RandomRotation", {"degrees", "interpolation", "center", "fill"}, &build<RandomRotation>},
    {"RandomAffine",
     {"degrees", "translate", "scale", "shear", "interpolation", "fill", "center"},
     &build<RandomAffine>},
};

}  // namespace

std::span<const TransformKind> turn_transforms() {
  return kinds;
}

}  // namespace gradloom
