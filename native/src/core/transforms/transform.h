// The table of transforms: one row a kind. A transform draws for each sample, and is applied to whole batches on any
// device; what is simple has a faster way besides, of equal results.
#pragma once

#include <ATen/core/TensorBody.h>
#include <c10/core/Device.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/names.h"
#include "core/plan.h"
#include "core/transforms/draws.h"

namespace gradloom {

/// What one transform draws for one sample.
struct Drawn {
  bool applies = true;
  std::vector<double> numbers;
  at::Tensor values;  // noise
};

/// Input samples are float32: images 0–1 unless an earlier transform made other values of them.
class Transform {
 public:
  virtual ~Transform() = default;

  int32_t index = 0;  // its place in the plan

  /// Dims of a sample afterwards.
  virtual std::vector<int64_t> output(const std::vector<int64_t>& input) const { return input; }

  /// For one sample of training; without draws: as evaluation sees it.
  virtual Drawn draw(Draws* /*draws*/) const { return {}; }

  /// A batch [n, …], which it may change, with what was drawn for each sample.
  virtual at::Tensor apply(const at::Tensor& batch, std::span<const Drawn> drawn) const = 0;

  /// Masks that lie over the images, as float32 [n, 1, H, W]: moved along, without values in between. `fill`: where
  /// nothing is.
  virtual at::Tensor apply_masks(const at::Tensor& masks, std::span<const Drawn> /*drawn*/, double /*fill*/) const {
    return masks;
  }
};

/// One that changes each value by itself; it does the same float32 operations either way.
class Pointwise : public Transform {
 public:
  using Transform::apply;
  /// In place, values of one channel.
  virtual void change(float* values, int64_t count, int64_t channel) const = 0;
};

struct TransformKind {
  std::string_view kind;
  Names arguments;
  /// `input`: dims of a sample as it arrives; `device`: where batches are transformed.
  std::unique_ptr<Transform> (*build)(const Args& args, const std::vector<int64_t>& input, c10::Device device);
};

std::span<const TransformKind> transform_kinds();

/// Throws NOT_SUPPORTED for a kind without a row.
std::unique_ptr<Transform> build_transform(const KindPlan& plan, const std::vector<int64_t>& input, c10::Device device);

/// Those of the batch that a transform applies to, changed by `work(samples, drawn)`; `work` sees them alone.
template <typename Work>
at::Tensor apply_to(const at::Tensor& batch, const std::vector<int64_t>& samples, const Work& work) {
  if (samples.empty()) return batch;
  if (static_cast<int64_t>(samples.size()) == batch.size(0)) return work(batch);
  const at::Tensor places = at::tensor(samples, at::kLong).to(batch.device());
  return batch.index_copy(0, places, work(batch.index_select(0, places)));
}

/// Places of the samples that it applies to.
std::vector<int64_t> applied(std::span<const Drawn> drawn);

}  // namespace gradloom
