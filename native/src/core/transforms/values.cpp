// Transforms of values whatever they stand for: Normalize and GaussianNoise.
#include <ATen/ATen.h>

#include "core/errors.h"
#include "core/transforms/families.h"

namespace gradloom {

namespace {

/// (x − mean) / std, with one value for all or one for each channel, the first dimension.
class Normalize final : public Pointwise {
 public:
  Normalize(const Args& args, const std::vector<int64_t>& shape, c10::Device device)
      : mean_(per_channel(args, "mean", shape)), std_(per_channel(args, "std", shape)) {
    // [C, 1, 1] against [n, C, H, W], as torchvision does it.
    std::vector<int64_t> dims(shape.size(), 1);
    if (!dims.empty()) dims[0] = static_cast<int64_t>(mean_.size());
    device_mean_ = at::tensor(at::ArrayRef<float>(mean_), at::kFloat).view(dims).to(device);
    device_std_ = at::tensor(at::ArrayRef<float>(std_), at::kFloat).view(dims).to(device);
  }

  void change(float* values, int64_t count, int64_t channel) const override {
    const float mean = mean_[static_cast<size_t>(channel)];
    const float std = std_[static_cast<size_t>(channel)];
    for (int64_t i = 0; i < count; ++i) values[i] = (values[i] - mean) / std;
  }

  at::Tensor apply(const at::Tensor& batch, std::span<const Drawn>) const override {
    return batch.sub_(device_mean_).div_(device_std_);
  }

 private:
  static std::vector<float> per_channel(const Args& args, std::string_view name, const std::vector<int64_t>& shape) {
    if (args.absent(name))
      throw Error("BAD_CALL", "Normalize has no " + std::string(name) + ": fit it first.", {}, "data.transforms");
    const std::vector<double> given = args.numbers(name);
    const size_t channels = shape.empty() ? 1 : static_cast<size_t>(shape.front());
    if (given.size() == 1) return std::vector<float>(channels, static_cast<float>(given.front()));
    if (given.size() != channels) {
      throw Error("BAD_CALL", "Normalize needs one number or " + std::to_string(channels) + " for " +
                                  std::string(name) + " but received " + std::to_string(given.size()) + ".");
    }
    return {given.begin(), given.end()};
  }

  std::vector<float> mean_;
  std::vector<float> std_;
  at::Tensor device_mean_;
  at::Tensor device_std_;
};

/// Noise is drawn on the host for each sample, so that it is the same on every device.
class GaussianNoise final : public Transform {
 public:
  GaussianNoise(const Args& args, const std::vector<int64_t>& input, c10::Device)
      : mean_(args.number("mean")), sigma_(args.number("sigma")), clip_(args.flag("clip")), input_(input) {}

  Drawn draw(Draws* draws) const override {
    if (draws == nullptr) return left_out();
    return {.applies = true, .numbers = {}, .values = draws->normal(input_).mul_(sigma_).add_(mean_)};
  }

  at::Tensor apply(const at::Tensor& batch, std::span<const Drawn> drawn) const override {
    return apply_to(batch, applied(drawn), [&](const at::Tensor& samples) {
      std::vector<at::Tensor> noise;
      for (const Drawn& one : drawn) {
        if (one.applies) noise.push_back(one.values);
      }
      const at::Tensor noisy = samples.add(at::stack(noise).to(samples.device()));
      return clip_ ? noisy.clamp(0, 1) : noisy;
    });
  }

 private:
  double mean_;
  double sigma_;
  bool clip_;
  std::vector<int64_t> input_;
};

constexpr TransformKind kinds[] = {
    {"Normalize", {"mean", "std"}, &build<Normalize>},
    {"GaussianNoise", {"mean", "sigma", "clip"}, &build<GaussianNoise>},
};

}  // namespace

std::span<const TransformKind> value_transforms() {
  return kinds;
}

}  // namespace gradloom
