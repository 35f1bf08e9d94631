// Resize and RandomResizedCrop, on ATen's own interpolation.
#include "core/transforms/resize.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "core/transforms/families.h"

namespace gradloom {

Interpolation interpolation(const std::string& name) {
  if (name == "nearest") return Interpolation::nearest;
  if (name == "nearest-exact") return Interpolation::nearest_exact;
  if (name == "bicubic") return Interpolation::bicubic;
  return Interpolation::bilinear;
}

at::Tensor resized(const at::Tensor& images, int64_t height, int64_t width, Interpolation mode, bool antialias) {
  if (images.size(2) == height && images.size(3) == width) return images;
  const std::array<int64_t, 2> size{height, width};
  switch (mode) {
    case Interpolation::nearest:
      return at::upsample_nearest2d(images, size);
    case Interpolation::nearest_exact:
      return at::_upsample_nearest_exact2d(images, size);
    case Interpolation::bilinear:
      return antialias ? at::_upsample_bilinear2d_aa(images, size, false) : at::upsample_bilinear2d(images, size, false);
    case Interpolation::bicubic:
      return antialias ? at::_upsample_bicubic2d_aa(images, size, false) : at::upsample_bicubic2d(images, size, false);
  }
  return images;
}

std::vector<int64_t> resized_dims(int64_t height, int64_t width, const std::vector<int64_t>& size) {
  if (size.size() == 2) return size;
  const int64_t short_side = std::min(height, width);
  const int64_t long_side = std::max(height, width);
  const auto long_size =
      static_cast<int64_t>(static_cast<double>(size[0] * long_side) / static_cast<double>(short_side));
  return width <= height ? std::vector{long_size, size[0]} : std::vector{size[0], long_size};
}

namespace {

void refuse_no_image(const std::vector<int64_t>& input, const char* kind) {
  if (input.size() != 3) throw Error("BAD_CALL", std::string(kind) + " needs images.", {}, "data.transforms");
}

class Resize final : public Transform {
 public:
  Resize(const Args& args, const std::vector<int64_t>& input, c10::Device)
      : mode_(interpolation(args.string("interpolation"))), antialias_(args.flag("antialias")) {
    refuse_no_image(input, "Resize");
    size_ = resized_dims(input[1], input[2], args.integers("size"));
  }

  std::vector<int64_t> output(const std::vector<int64_t>& input) const override {
    return {input[0], size_[0], size_[1]};
  }

  at::Tensor apply(const at::Tensor& batch, std::span<const Drawn>) const override {
    return resized(batch, size_[0], size_[1], mode_, antialias_);
  }

  at::Tensor apply_masks(const at::Tensor& masks, std::span<const Drawn>, double) const override {
    return resized(masks, size_[0], size_[1], Interpolation::nearest, false);
  }

 private:
  std::vector<int64_t> size_;
  Interpolation mode_;
  bool antialias_;
};

/// Evaluation sees what torchvision's reference training evaluates on: the window in the middle of the image whose
/// shorter side is 256 / 224 of the window's longer one.
class RandomResizedCrop final : public Transform {
 public:
  RandomResizedCrop(const Args& args, const std::vector<int64_t>& input, c10::Device)
      : size_(args.pair("size")),
        scale_(args.numbers("scale")),
        ratio_(args.numbers("ratio")),
        mode_(interpolation(args.string("interpolation"))),
        antialias_(args.flag("antialias")) {
    refuse_no_image(input, "RandomResizedCrop");
    height_ = input[1];
    width_ = input[2];
    const at::Tensor logs = at::tensor(at::ArrayRef<double>(ratio_), at::kDouble).to(at::kFloat).log();
    log_ratio_ = {logs[0].item<double>(), logs[1].item<double>()};
    const int64_t shorter = static_cast<int64_t>(
        std::nearbyint(static_cast<double>(std::max(size_[0], size_[1])) * 256 / 224));
    still_ = resized_dims(height_, width_, {shorter});
  }

  std::vector<int64_t> output(const std::vector<int64_t>& input) const override {
    return {input[0], size_[0], size_[1]};
  }

  Drawn draw(Draws* draws) const override {
    if (draws == nullptr) return left_out();
    const double area = static_cast<double>(height_ * width_);
    for (int attempt = 0; attempt < 10; ++attempt) {
      const double wanted = area * draws->between(scale_[0], scale_[1]);
      const double aspect = draws->uniform_tensor(log_ratio_[0], log_ratio_[1]).exp().item<double>();
      const double width = std::nearbyint(std::sqrt(wanted * aspect));
      const double height = std::nearbyint(std::sqrt(wanted / aspect));
      if (width < 1 || width > static_cast<double>(width_) || height < 1 || height > static_cast<double>(height_))
        continue;
      const auto top = draws->below(height_ - static_cast<int64_t>(height) + 1);
      const auto left = draws->below(width_ - static_cast<int64_t>(width) + 1);
      return {.applies = true,
              .numbers = {static_cast<double>(top), static_cast<double>(left), height, width},
              .values = {}};
    }
    return middle();
  }

  at::Tensor apply(const at::Tensor& batch, std::span<const Drawn> drawn) const override {
    return cropped(batch, drawn, mode_, antialias_);
  }

  at::Tensor apply_masks(const at::Tensor& masks, std::span<const Drawn> drawn, double) const override {
    return cropped(masks, drawn, Interpolation::nearest, false);
  }

 private:
  /// Where ten windows did not fit.
  Drawn middle() const {
    const double image = static_cast<double>(width_) / static_cast<double>(height_);
    const double least = std::min(ratio_[0], ratio_[1]);
    const double most = std::max(ratio_[0], ratio_[1]);
    int64_t width = width_;
    int64_t height = height_;
    if (image < least) height = static_cast<int64_t>(std::nearbyint(static_cast<double>(width) / least));
    if (image > most) width = static_cast<int64_t>(std::nearbyint(static_cast<double>(height) * most));
    return {.applies = true,
            .numbers = {static_cast<double>((height_ - height) / 2), static_cast<double>((width_ - width) / 2),
                        static_cast<double>(height), static_cast<double>(width)},
            .values = {}};
  }

  at::Tensor cropped(const at::Tensor& images, std::span<const Drawn> drawn, Interpolation mode,
                     bool antialias) const {
    if (!drawn.front().applies) {
      const at::Tensor whole = resized(images, still_[0], still_[1], mode, antialias);
      const auto start = [](int64_t room) { return std::lrint(static_cast<double>(room) / 2); };
      return whole.narrow(2, start(still_[0] - size_[0]), size_[0])
          .narrow(3, start(still_[1] - size_[1]), size_[1])
          .contiguous();
    }
    std::vector<at::Tensor> samples;
    for (size_t i = 0; i < drawn.size(); ++i) {
      const auto number = [&](size_t at) { return static_cast<int64_t>(drawn[i].numbers[at]); };
      const at::Tensor window = images.narrow(0, static_cast<int64_t>(i), 1)
                                    .narrow(2, number(0), number(2))
                                    .narrow(3, number(1), number(3));
      samples.push_back(resized(window, size_[0], size_[1], mode, antialias));
    }
    return at::cat(samples);
  }

  std::vector<int64_t> size_;
  std::vector<double> scale_;
  std::vector<double> ratio_;
  std::array<double, 2> log_ratio_{};
  Interpolation mode_;
  bool antialias_;
  int64_t height_ = 0;
  int64_t width_ = 0;
  std::vector<int64_t> still_;
};

constexpr TransformKind kinds[] = {
    {"Resize", {"size", "interpolation", "antialias"}, &build<Resize>},
    {"RandomResizedCrop", {"size", "scale", "ratio", "interpolation", "antialias"}, &build<RandomResizedCrop>},
};

}  // namespace

std::span<const TransformKind> resize_transforms() {
  return kinds;
}

}  // namespace gradloom
