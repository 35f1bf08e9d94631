// RandomErasing and GaussianBlur: what takes something away from images.
#include <ATen/ATen.h>

#include <cmath>

#include "core/errors.h"
#include "core/transforms/families.h"

namespace gradloom {

namespace {

/// Numbers drawn: top, left, height, width of the rectangle.
class RandomErasing final : public Transform {
 public:
  RandomErasing(const Args& args, const std::vector<int64_t>& input, c10::Device device)
      : p_(static_cast<float>(args.number("p"))), scale_(args.numbers("scale")), input_(input) {
    if (input.size() != 3) throw Error("BAD_CALL", "RandomErasing needs images.", {}, "data.transforms");
    const at::Tensor logs = at::tensor(at::ArrayRef<double>(args.numbers("ratio")), at::kDouble).to(at::kFloat).log();
    log_ratio_ = {logs[0].item<double>(), logs[1].item<double>()};
    if (args.is_string("value")) return;
    const std::vector<double> value = args.numbers("value");
    value_ = at::tensor(at::ArrayRef<double>(value), at::kDouble).to(at::kFloat).view({-1, 1, 1}).to(device);
  }

  Drawn draw(Draws* draws) const override {
    if (draws == nullptr || draws->uniform() >= p_) return left_out();
    const double area = static_cast<double>(input_[1] * input_[2]);
    for (int attempt = 0; attempt < 10; ++attempt) {
      const double erased = area * draws->between(scale_[0], scale_[1]);
      const double aspect = draws->uniform_tensor(log_ratio_[0], log_ratio_[1]).exp().item<double>();
      const auto height = static_cast<int64_t>(std::nearbyint(std::sqrt(erased * aspect)));
      const auto width = static_cast<int64_t>(std::nearbyint(std::sqrt(erased / aspect)));
      if (height >= input_[1] || width >= input_[2]) continue;
      Drawn drawn;
      if (!value_.defined()) drawn.values = draws->normal({input_[0], height, width});
      const int64_t top = draws->below(input_[1] - height + 1);
      const int64_t left = draws->below(input_[2] - width + 1);
      drawn.numbers = {static_cast<double>(top), static_cast<double>(left), static_cast<double>(height),
                       static_cast<double>(width)};
      return drawn;
    }
    return left_out();
  }

  at::Tensor apply(const at::Tensor& batch, std::span<const Drawn> drawn) const override {
    for (const int64_t sample : applied(drawn)) {
      const Drawn& one = drawn[static_cast<size_t>(sample)];
      const auto number = [&](size_t at) { return static_cast<int64_t>(one.numbers[at]); };
      batch.select(0, sample)
          .narrow(1, number(0), number(2))
          .narrow(2, number(1), number(3))
          .copy_(value_.defined() ? value_ : one.values);
    }
    return batch;
  }

 private:
  float p_;
  std::vector<double> scale_;
  std::array<double, 2> log_ratio_{};
  at::Tensor value_;  // undefined: noise
  std::vector<int64_t> input_;
};

class GaussianBlur final : public Transform {
 public:
  GaussianBlur(const Args& args, const std::vector<int64_t>& input, c10::Device)
      : sizes_(args.pair("kernel_size")), sigma_(args.numbers("sigma")) {
    if (input.size() != 3 || sizes_[0] / 2 >= input[2] || sizes_[1] / 2 >= input[1])
      throw Error("BAD_CALL", "GaussianBlur needs images larger than half its kernel.", {}, "data.transforms");
  }

  Drawn draw(Draws* draws) const override {
    if (draws == nullptr) return left_out();
    return {.applies = true, .numbers = {draws->between(sigma_[0], sigma_[1])}, .values = {}};
  }

  at::Tensor apply(const at::Tensor& batch, std::span<const Drawn> drawn) const override {
    if (!drawn.front().applies) return batch;
    const int64_t count = batch.size(0);
    const int64_t channels = batch.size(1);
    std::vector<at::Tensor> kernels;
    for (const Drawn& one : drawn) {
      const at::Tensor across = kernel(sizes_[0], one.numbers[0]);
      kernels.push_back(kernel(sizes_[1], one.numbers[0]).unsqueeze(1).mul(across));
    }
    // One group a channel of a sample, so that each has its own kernel.
    const at::Tensor weight = at::stack(kernels)
                                  .unsqueeze(1)
                                  .expand({count, channels, sizes_[1], sizes_[0]})
                                  .reshape({count * channels, 1, sizes_[1], sizes_[0]})
                                  .to(batch.device());
    const at::Tensor padded =
        at::reflection_pad2d(batch, {sizes_[0] / 2, sizes_[0] / 2, sizes_[1] / 2, sizes_[1] / 2});
    return at::conv2d(padded.view({1, count * channels, padded.size(2), padded.size(3)}), weight, at::Tensor(),
                      at::IntArrayRef{1}, at::IntArrayRef{0}, at::IntArrayRef{1}, count * channels)
        .view_as(batch);
  }

 private:
  static at::Tensor kernel(int64_t size, double sigma) {
    const double limit = static_cast<double>(size - 1) / (2.0 * std::sqrt(2.0));
    return at::linspace(-limit, limit, size, at::kFloat).div(sigma).pow(2).neg().softmax(0);
  }

  std::vector<int64_t> sizes_;  // along columns, along rows
  std::vector<double> sigma_;
};

constexpr TransformKind kinds[] = {
    {"RandomErasing", {"p", "scale", "ratio", "value"}, &build<RandomErasing>},
    {"GaussianBlur", {"kernel_size", "sigma"}, &build<GaussianBlur>},
};

}  // namespace

std::span<const TransformKind> erase_transforms() {
  return kinds;
}

}  // namespace gradloom
