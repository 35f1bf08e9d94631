// Rows and columns are moved apart from each other: a whole list of flips and crops is two short lists of places, made
// before a single pixel is touched.
#include "core/transforms/moves.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/errors.h"
#include "core/transforms/families.h"

namespace gradloom {

Warp Warp::still(int64_t height, int64_t width) {
  Warp warp{std::vector<int32_t>(static_cast<size_t>(height)), std::vector<int32_t>(static_cast<size_t>(width))};
  std::iota(warp.rows.begin(), warp.rows.end(), 0);
  std::iota(warp.columns.begin(), warp.columns.end(), 0);
  return warp;
}

Move::Move(const std::vector<int64_t>& input) {
  if (input.size() != 3)
    throw Error("BAD_CALL", "Only images can be flipped and cropped.", {}, "data.transforms");
  height_ = input[1];
  width_ = input[2];
}

std::vector<int64_t> Move::output(const std::vector<int64_t>& input) const {
  Warp moved = Warp::still(height_, width_);
  warp(moved, draw(nullptr));
  return {input[0], static_cast<int64_t>(moved.rows.size()), static_cast<int64_t>(moved.columns.size())};
}

at::Tensor Move::apply(const at::Tensor& batch, std::span<const Drawn> drawn) const {
  return moved(batch, drawn, fill());
}

at::Tensor Move::apply_masks(const at::Tensor& masks, std::span<const Drawn> drawn, double fill) const {
  return moved(masks, drawn, fill);
}

at::Tensor Move::moved(const at::Tensor& images, std::span<const Drawn> drawn, double fill) const {
  const int64_t count = images.size(0);
  std::vector<int64_t> places[2];
  for (const Drawn& one : drawn) {
    Warp moved = Warp::still(height_, width_);
    warp(moved, one);
    places[0].insert(places[0].end(), moved.rows.begin(), moved.rows.end());
    places[1].insert(places[1].end(), moved.columns.begin(), moved.columns.end());
  }
  const auto tensor = [&](const std::vector<int64_t>& list) {
    return at::tensor(list, at::kLong).view({count, 1, -1}).to(images.device());
  };
  const at::Tensor rows = tensor(places[0]).unsqueeze(3);
  const at::Tensor columns = tensor(places[1]).unsqueeze(2);
  const int64_t channels = images.size(1);
  at::Tensor result = images.gather(2, rows.clamp_min(0).expand({count, channels, rows.size(2), images.size(3)}));
  result = result.gather(3, columns.clamp_min(0).expand({count, channels, rows.size(2), columns.size(3)}));
  const auto outside = [](const std::vector<int64_t>& list) {
    return std::any_of(list.begin(), list.end(), [](int64_t place) { return place < 0; });
  };
  if (outside(places[0]) || outside(places[1])) result.masked_fill_(rows.lt(0).logical_or(columns.lt(0)), fill);
  return result;
}

namespace {

template <std::vector<int32_t> Warp::* Side>
class Flip final : public Move {
 public:
  Flip(const Args& args, const std::vector<int64_t>& input, c10::Device)
      : Move(input), p_(static_cast<float>(args.number("p"))) {}

  Drawn draw(Draws* draws) const override {
    if (draws == nullptr || draws->uniform() >= p_) return left_out();
    return {};
  }

  void warp(Warp& warp, const Drawn& drawn) const override {
    if (drawn.applies) std::reverse((warp.*Side).begin(), (warp.*Side).end());
  }

 private:
  float p_;
};

enum class PaddingMode { constant, edge, reflect, symmetric };

PaddingMode padding_mode(const std::string& name) {
  if (name == "edge") return PaddingMode::edge;
  if (name == "reflect") return PaddingMode::reflect;
  if (name == "symmetric") return PaddingMode::symmetric;
  return PaddingMode::constant;
}

/// A window of the padded image: of `size` places from `start` on.
class Crop : public Move {
 public:
  Crop(const std::vector<int64_t>& input, std::vector<int64_t> size, PaddingMode mode)
      : Move(input), size_(std::move(size)), mode_(mode) {}

  void warp(Warp& warp, const Drawn& drawn) const override {
    crop(warp.rows, static_cast<int64_t>(drawn.numbers[0]), size_[0]);
    crop(warp.columns, static_cast<int64_t>(drawn.numbers[1]), size_[1]);
  }

 protected:
  std::vector<int64_t> size_;

 private:
  void crop(std::vector<int32_t>& places, int64_t start, int64_t size) const {
    const auto length = static_cast<int64_t>(places.size());
    std::vector<int32_t> moved(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) {
      const int64_t place = source(start + i, length);
      moved[static_cast<size_t>(i)] = place < 0 ? -1 - index : places[static_cast<size_t>(place)];
    }
    places = std::move(moved);
  }

  /// A place in the padded image as one in the image; below zero: the fill.
  int64_t source(int64_t place, int64_t length) const {
    if (place >= 0 && place < length) return place;
    switch (mode_) {
      case PaddingMode::constant:
        return -1;
      case PaddingMode::edge:
        return std::clamp<int64_t>(place, 0, length - 1);
      case PaddingMode::reflect:
        return std::clamp<int64_t>(place < 0 ? -place : 2 * length - 2 - place, 0, length - 1);
      case PaddingMode::symmetric:
        return std::clamp<int64_t>(place < 0 ? -place - 1 : 2 * length - 1 - place, 0, length - 1);
    }
    return -1;
  }

  PaddingMode mode_;
};

class RandomCrop final : public Crop {
 public:
  RandomCrop(const Args& args, const std::vector<int64_t>& input, c10::Device)
      : Crop(input, args.pair("size"), padding_mode(args.string("padding_mode"))),
        padding_(args.integers("padding")),
        fill_(static_cast<float>(args.number("fill"))) {
    if (padding_.size() != 4)
      throw Error("BAD_CALL", "RandomCrop needs the padding of four sides.", {}, "data.transforms");
    if (std::min(room(0), room(1)) < 0)
      throw Error("BAD_CALL", "RandomCrop's window does not fit the image.", {}, "data.transforms");
  }

  Drawn draw(Draws* draws) const override {
    // First the vertical, then the horizontal place is drawn, each only where there is a choice.
    const double row = start(0, draws);
    const double column = start(1, draws);
    return {.applies = true, .numbers = {row, column}, .values = {}};
  }

  float fill() const override { return fill_; }

 private:
  /// How far the window can be moved, over rows (0) or columns (1).
  int64_t room(size_t side) const {
    return (side == 0 ? height_ : width_) + padding_[1 - side] + padding_[3 - side] - size_[side];
  }

  double start(size_t side, Draws* draws) const {
    const int64_t room = this->room(side);
    const double drawn = room == 0            ? 0
                         : draws != nullptr ? static_cast<double>(draws->below(room + 1))
                                              : std::nearbyint(static_cast<double>(room) / 2);
    return drawn - static_cast<double>(padding_[1 - side]);
  }

  std::vector<int64_t> padding_;  // left, top, right, bottom
  float fill_;
};

/// Where the window is larger than the image, zeros lie around it.
class CenterCrop final : public Crop {
 public:
  CenterCrop(const Args& args, const std::vector<int64_t>& input, c10::Device)
      : Crop(input, args.pair("size"), PaddingMode::constant) {}

  Drawn draw(Draws*) const override {
    return {.applies = true, .numbers = {start(size_[0], height_), start(size_[1], width_)}, .values = {}};
  }

 private:
  static double start(int64_t size, int64_t length) {
    return size > length ? -static_cast<double>((size - length) / 2)
                         : std::nearbyint(static_cast<double>(length - size) / 2);
  }
};

constexpr TransformKind kinds[] = {
    {"RandomHorizontalFlip", {"p"}, &build<Flip<&Warp::columns>>},
    {"RandomVerticalFlip", {"p"}, &build<Flip<&Warp::rows>>},
    {"RandomCrop", {"size", "padding", "fill", "padding_mode"}, &build<RandomCrop>},
    {"CenterCrop", {"size"}, &build<CenterCrop>},
};

}  // namespace

std::span<const TransformKind> move_transforms() {
  return kinds;
}

}  // namespace gradloom
