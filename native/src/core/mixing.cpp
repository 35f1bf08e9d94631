// The draws are torchvision's, in its order: after torch.manual_seed(stream_seed(…)), its MixUp, CutMix or RandomChoice
// of both makes the same batch.
#include "core/mixing.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "core/random_source.h"

namespace gradloom {

namespace {

/// torch.distributions.Beta(alpha, alpha).sample().
double draw_beta(double alpha, const at::Generator& generator) {
  const at::Tensor concentration = at::full({1, 2}, alpha, at::kFloat);
  return at::_sample_dirichlet(concentration, generator).select(1, 0).item<double>();
}

int64_t draw_below(int64_t end, const at::Generator& generator) {
  return at::randint(end, {1}, generator, at::kLong).item<int64_t>();
}

at::Tensor blend(const at::Tensor& values, double lambda) {
  return values.roll(1, 0).mul_(1.0 - lambda).add_(values.mul(lambda));
}

/// Pastes a box of the sample before; answers the share of the own sample that is left.
double cut(at::Tensor& input, double lambda, const at::Generator& generator) {
  const int64_t height = input.size(-2);
  const int64_t width = input.size(-1);
  const int64_t x = draw_below(width, generator);
  const int64_t y = draw_below(height, generator);
  const double half = 0.5 * std::sqrt(1.0 - lambda);
  const auto half_width = static_cast<int64_t>(half * static_cast<double>(width));
  const auto half_height = static_cast<int64_t>(half * static_cast<double>(height));
  const int64_t left = std::max<int64_t>(x - half_width, 0);
  const int64_t top = std::max<int64_t>(y - half_height, 0);
  const int64_t right = std::min(x + half_width, width);
  const int64_t bottom = std::min(y + half_height, height);
  const at::Tensor rolled = input.roll(1, 0);
  input = input.clone();
  const auto box = [&](const at::Tensor& images) {
    return images.narrow(-2, top, bottom - top).narrow(-1, left, right - left);
  };
  box(input).copy_(box(rolled));
  return 1.0 - static_cast<double>((right - left) * (bottom - top)) / static_cast<double>(width * height);
}

}  // namespace

Mixing::Mixing(const Plan& plan)
    : seed_(plan.seed),
      mixup_(plan.mixup),
      cutmix_(plan.cutmix),
      classes_(plan.model.empty() || plan.model.back().output.empty() ? 0 : plan.model.back().output.front()) {}

void Mixing::apply(Batch& batch, int64_t epoch, int64_t index) const {
  if (!mixup_ && !cutmix_) return;
  const at::NoGradGuard no_grad;
  const at::Generator generator = at::detail::createCPUGenerator(stream_seed(seed_, Stream::batch, epoch, index));
  bool boxes = cutmix_.has_value();
  if (mixup_ && cutmix_) {
    // torchvision.transforms.v2.RandomChoice([MixUp, CutMix])
    boxes = at::multinomial(at::full({2}, 0.5, at::kFloat), 1, false, generator).item<int64_t>() == 1;
  }
  double lambda = draw_beta(boxes ? *cutmix_ : *mixup_, generator);
  if (boxes) {
    lambda = cut(batch.input, lambda, generator);
  } else {
    batch.input = blend(batch.input, lambda);
  }
  batch.target = blend(at::one_hot(batch.target, classes_).to(at::kFloat), lambda);
  // What metrics compare with, as torchvision's reference training does: the class with the larger share.
  batch.label = batch.target.argmax(1);
}

}  // namespace gradloom
