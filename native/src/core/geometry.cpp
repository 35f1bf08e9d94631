// Rows and columns are moved apart from each other: a whole list of flips and crops is two short lists of places, made
// before a single pixel is touched.
#include "core/geometry.h"

#include <ATen/core/MT19937RNGEngine.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/errors.h"
#include "core/random_source.h"

namespace gradloom {

class Draws {
 public:
  explicit Draws(uint64_t seed) : engine_(seed) {}

  /// torch.rand(1): 24 bits.
  float uniform() { return static_cast<float>(engine_() & ((1U << 24) - 1)) * (1.0F / (1U << 24)); }

  /// torch.randint(0, end, ()).
  int32_t below(int32_t end) { return static_cast<int32_t>(engine_() % static_cast<uint32_t>(end)); }

 private:
  at::mt19937 engine_;
};

namespace {

class Flip final : public Geometry {
 public:
  Flip(const Args& args, std::vector<int32_t> Warp::* side) : p_(static_cast<float>(args.number("p"))), side_(side) {}

  void apply(Warp& warp, Draws* draws, int32_t) const override {
    if (draws == nullptr || draws->uniform() >= p_) return;
    std::reverse((warp.*side_).begin(), (warp.*side_).end());
  }

 private:
  float p_;
  std::vector<int32_t> Warp::* side_;
};

enum class PaddingMode { constant, edge, reflect, symmetric };

PaddingMode padding_mode(const std::string& name) {
  if (name == "edge") return PaddingMode::edge;
  if (name == "reflect") return PaddingMode::reflect;
  if (name == "symmetric") return PaddingMode::symmetric;
  return PaddingMode::constant;
}

class RandomCrop final : public Geometry {
 public:
  explicit RandomCrop(const Args& args)
      : size_(args.pair("size")),
        padding_(args.integers("padding")),
        fill_(static_cast<float>(args.number("fill"))),
        mode_(padding_mode(args.string("padding_mode"))) {
    if (padding_.size() != 4)
      throw Error("BAD_CALL", "RandomCrop needs the padding of four sides.", {}, "data.transforms");
  }

  void apply(Warp& warp, Draws* draws, int32_t index) const override {
    // First the vertical, then the horizontal place is drawn, each only where there is a choice.
    crop(warp.rows, padding_[1], padding_[3], size_[0], draws, index);
    crop(warp.columns, padding_[0], padding_[2], size_[1], draws, index);
  }

  float fill() const override { return fill_; }

 private:
  void crop(std::vector<int32_t>& places, int64_t before, int64_t after, int64_t size, Draws* draws,
            int32_t index) const {
    const auto length = static_cast<int64_t>(places.size());
    const int64_t room = length + before + after - size;
    if (room < 0 || size < 1)
      throw Error("BAD_CALL", "RandomCrop's window does not fit the image.", {}, "data.transforms");
    int64_t start = 0;
    if (room > 0) {
      start = draws != nullptr ? draws->below(static_cast<int32_t>(room + 1))
                               : static_cast<int64_t>(std::nearbyint(static_cast<double>(room) / 2));
    }
    std::vector<int32_t> moved(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) {
      const int64_t place = source(start + i - before, length);
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

  std::vector<int64_t> size_;
  std::vector<int64_t> padding_;  // left, top, right, bottom
  float fill_;
  PaddingMode mode_;
};

constexpr GeometryKind kinds[] = {
    {"RandomHorizontalFlip",
     {"p"},
     [](const Args& args) -> std::unique_ptr<Geometry> { return std::make_unique<Flip>(args, &Warp::columns); }},
    {"RandomVerticalFlip",
     {"p"},
     [](const Args& args) -> std::unique_ptr<Geometry> { return std::make_unique<Flip>(args, &Warp::rows); }},
    {"RandomCrop",
     {"size", "padding", "fill", "padding_mode"},
     [](const Args& args) -> std::unique_ptr<Geometry> { return std::make_unique<RandomCrop>(args); }},
};

}  // namespace

std::span<const GeometryKind> geometry_kinds() {
  return kinds;
}

std::vector<int64_t> stored_shape(const Plan& plan) {
  for (const KindPlan& transform : plan.transforms) {
    const auto moves = [&](const GeometryKind& kind) { return kind.kind == transform.kind; };
    if (std::any_of(std::begin(kinds), std::end(kinds), moves) && !plan.parts.empty())
      return plan.parts.begin()->second.input.shape;
  }
  return plan.input;
}

Augmentation::Augmentation(const std::vector<KindPlan>& transforms, std::vector<int64_t> stored, uint64_t seed)
    : stored_(std::move(stored)), seed_(seed) {
  for (size_t i = 0; i < transforms.size(); ++i) {
    for (const GeometryKind& kind : kinds) {
      if (kind.kind == transforms[i].kind)
        steps_.push_back({static_cast<int32_t>(i), kind.build(transforms[i].args)});
    }
  }
  if (!steps_.empty() && stored_.size() != 3)
    throw Error("BAD_CALL", "Only images can be flipped and cropped.", {}, "data.transforms");
}

Warp Augmentation::train(int64_t epoch, int64_t index) const {
  Draws draws(stream_seed(seed_, Stream::sample, epoch, index));
  return warp(&draws);
}

Warp Augmentation::fixed() const {
  return warp(nullptr);
}

Warp Augmentation::warp(Draws* draws) const {
  Warp warp{std::vector<int32_t>(static_cast<size_t>(stored_[1])), std::vector<int32_t>(static_cast<size_t>(stored_[2]))};
  std::iota(warp.rows.begin(), warp.rows.end(), 0);
  std::iota(warp.columns.begin(), warp.columns.end(), 0);
  for (const Step& step : steps_) step.geometry->apply(warp, draws, step.index);
  return warp;
}

std::vector<Augmentation::Fill> Augmentation::fills() const {
  std::vector<Fill> fills;
  for (const Step& step : steps_) fills.push_back({step.index, step.geometry->fill()});
  return fills;
}

}  // namespace gradloom
