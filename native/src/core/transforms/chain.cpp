// Draws come first and from the host alone; then every transform takes the whole batch.
#include "core/transforms/chain.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/random_source.h"
#include "core/transforms/one_thread.h"

namespace gradloom {

std::vector<int64_t> stored_shape(const Plan& plan) {
  const bool keeps = std::all_of(plan.transforms.begin(), plan.transforms.end(),
                                 [](const KindPlan& transform) { return transform.kind == "Normalize"; });
  return keeps || plan.parts.empty() ? plan.input : plan.parts.begin()->second.input.shape;
}

double mask_fill(const Plan& plan) {
  if (plan.loss.args.absent("ignore_index")) return 0;
  return static_cast<double>(std::max<int64_t>(plan.loss.args.integer("ignore_index"), 0));
}

at::Tensor as_floats(const at::Tensor& stored, float scale) {
  at::Tensor values = stored;
  if (values.scalar_type() == at::kShort) values = values.to(at::kInt).bitwise_and_(0xFFFF);
  values = values.to(at::kFloat);
  // By a tensor on the device: a host scalar may become a multiplication by its reciprocal there, which rounds
  // otherwise.
  return scale == 0 ? values : values.div_(at::full({}, scale, values.options()));
}

Chain::Chain(const std::vector<KindPlan>& transforms, std::vector<int64_t> input, c10::Device device, uint64_t seed)
    : input_(std::move(input)), output_(input_), seed_(seed) {
  for (size_t i = 0; i < transforms.size(); ++i) {
    transforms_.push_back(build_transform(transforms[i], output_, device));
    Transform& added = *transforms_.back();
    added.index = static_cast<int32_t>(i);
    output_ = added.output(output_);
    if (const auto* const pointwise = dynamic_cast<const Pointwise*>(&added)) pointwise_.push_back(pointwise);
    if (const auto* const move = dynamic_cast<const Move*>(&added)) moves_.push_back(move);
  }
}

ChainDraws Chain::train(int64_t epoch, std::span<const int64_t> samples) const {
  if (pointwise_.size() == transforms_.size()) return fixed(static_cast<int64_t>(samples.size()));
  ChainDraws draws{std::vector<std::vector<Drawn>>(transforms_.size())};
  const at::NoGradGuard no_grad;
  for (const int64_t sample : samples) {
    Draws numbers(stream_seed(seed_, Stream::sample, epoch, sample));
    for (size_t i = 0; i < transforms_.size(); ++i) draws.of[i].push_back(transforms_[i]->draw(&numbers));
  }
  return draws;
}

ChainDraws Chain::fixed(int64_t count) const {
  ChainDraws draws;
  for (const auto& transform : transforms_)
    draws.of.emplace_back(static_cast<size_t>(count), transform->draw(nullptr));
  return draws;
}

at::Tensor Chain::apply(at::Tensor batch, const ChainDraws& draws) const {
  const at::NoGradGuard no_grad;
  const OneThread alone;
  for (size_t i = 0; i < transforms_.size(); ++i) batch = transforms_[i]->apply(batch, draws.of[i]);
  return batch;
}

at::Tensor Chain::apply_masks(const at::Tensor& masks, const ChainDraws& draws, double fill) const {
  const at::NoGradGuard no_grad;
  const OneThread alone;
  at::Tensor moved = masks.to(at::kFloat).unsqueeze(1);
  for (size_t i = 0; i < transforms_.size(); ++i) moved = transforms_[i]->apply_masks(moved, draws.of[i], fill);
  return moved.squeeze(1).to(at::kLong);
}

std::vector<Warp> Chain::warps(const ChainDraws& draws) const {
  std::vector<Warp> warps;
  for (size_t sample = 0; sample < draws.samples(); ++sample) {
    Warp& warp = warps.emplace_back(Warp::still(input_[1], input_[2]));
    for (const Move* const move : moves_) move->warp(warp, draws.of[static_cast<size_t>(move->index)][sample]);
  }
  return warps;
}

std::vector<Chain::Fill> Chain::fills() const {
  std::vector<Fill> fills;
  for (const Move* const move : moves_) fills.push_back({move->index, move->fill()});
  return fills;
}

}  // namespace gradloom
