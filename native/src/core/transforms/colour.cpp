// ColorJitter, Grayscale and RandomGrayscale: what changes the colours of images.
#include <ATen/ATen.h>

#include "core/errors.h"
#include "core/transforms/colour_functions.h"
#include "core/transforms/families.h"

namespace gradloom {

namespace {

void refuse_other_channels(const std::vector<int64_t>& input, const char* kind) {
  if (input.size() == 3 && (input[0] == 1 || input[0] == 3)) return;
  throw Error("BAD_CALL", std::string(kind) + " needs images of 1 or 3 channels.", {}, "data.transforms");
}

using Adjust = at::Tensor (*)(const at::Tensor&, const Factor&);

/// In torchvision's order of numbers; each sample applies them in an order of its own.
constexpr std::array<std::pair<const char*, Adjust>, 4> adjustments{{
    {"brightness", adjust_brightness},
    {"contrast", adjust_contrast},
    {"saturation", adjust_saturation},
    {"hue", adjust_hue},
}};

/// Numbers drawn: four places of the order, then four factors (those of an adjustment that is not asked for unused).
class ColorJitter final : public Transform {
 public:
  ColorJitter(const Args& args, const std::vector<int64_t>& input, c10::Device) {
    refuse_other_channels(input, "ColorJitter");
    for (size_t i = 0; i < adjustments.size(); ++i) {
      if (!args.absent(adjustments[i].first)) ranges_[i] = args.numbers(adjustments[i].first);
    }
  }

  Drawn draw(Draws* draws) const override {
    if (draws == nullptr) return left_out();
    Drawn drawn{.applies = true, .numbers = draws->permutation(4), .values = {}};
    for (const auto& range : ranges_) drawn.numbers.push_back(range.empty() ? 0 : draws->between(range[0], range[1]));
    return drawn;
  }

  at::Tensor apply(const at::Tensor& batch, std::span<const Drawn> drawn) const override {
    at::Tensor result = batch;
    // Samples that take the same adjustment at the same place of their order go through it together.
    for (size_t place = 0; place < adjustments.size(); ++place) {
      for (size_t which = 0; which < adjustments.size(); ++which) {
        if (ranges_[which].empty()) continue;
        std::vector<int64_t> samples;
        std::vector<double> factors;
        for (size_t i = 0; i < drawn.size(); ++i) {
          if (!drawn[i].applies || static_cast<size_t>(drawn[i].numbers[place]) != which) continue;
          samples.push_back(static_cast<int64_t>(i));
          factors.push_back(drawn[i].numbers[4 + which]);
        }
        result = apply_to(result, samples, [&](const at::Tensor& images) {
          return adjustments[which].second(images, Factor(factors, images.device()));
        });
      }
    }
    return result;
  }

 private:
  std::array<std::vector<double>, 4> ranges_;
};

class Grayscale final : public Transform {
 public:
  Grayscale(const Args& args, const std::vector<int64_t>& input, c10::Device)
      : channels_(args.integer("num_output_channels")) {
    refuse_other_channels(input, "Grayscale");
  }

  std::vector<int64_t> output(const std::vector<int64_t>& input) const override {
    return {channels_, input[1], input[2]};
  }

  at::Tensor apply(const at::Tensor& batch, std::span<const Drawn>) const override {
    return grayscale(batch, channels_);
  }

 private:
  int64_t channels_;
};

class RandomGrayscale final : public Transform {
 public:
  RandomGrayscale(const Args& args, const std::vector<int64_t>& input, c10::Device)
      : p_(static_cast<float>(args.number("p"))) {
    refuse_other_channels(input, "RandomGrayscale");
  }

  Drawn draw(Draws* draws) const override {
    if (draws == nullptr || draws->uniform() >= p_) return left_out();
    return {};
  }

  at::Tensor apply(const at::Tensor& batch, std::span<const Drawn> drawn) const override {
    return apply_to(batch, applied(drawn), [](const at::Tensor& images) { return grayscale(images, images.size(1)); });
  }

 private:
  float p_;
};

constexpr TransformKind kinds[] = {
    {"ColorJitter", {"brightness", "contrast", "saturation", "hue"}, &build<ColorJitter>},
    {"Grayscale", {"num_output_channels"}, &build<Grayscale>},
    {"RandomGrayscale", {"p"}, &build<RandomGrayscale>},
};

}  // namespace

std::span<const TransformKind> colour_transforms() {
  return kinds;
}

}  // namespace gradloom
