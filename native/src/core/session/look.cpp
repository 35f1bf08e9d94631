// What each layer makes of one sample: statistics on the device, and of the values only those that were asked for on the
// host. Training's numbers, statistics and weights are not touched.
#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "core/errors.h"
#include "core/session/impl.h"
#include "core/session/shapes.h"

namespace gradloom {

namespace {

/// How many of each dimension's slices are zero everywhere.
std::vector<int64_t> zero_slices(const at::Tensor& is_zero) {
  std::vector<at::Tensor> counts;
  for (int64_t dim = 0; dim < is_zero.dim(); ++dim)
    counts.push_back(is_zero.transpose(0, dim).flatten(1).all(1).sum());
  if (counts.empty()) return {};
  const at::Tensor host = at::stack(counts).cpu();
  return {host.const_data_ptr<int64_t>(), host.const_data_ptr<int64_t>() + host.numel()};
}

/// `values`: floats, of one sample.
ValueStatistics statistics_of(const at::Tensor& values) {
  ValueStatistics result;
  const at::Tensor is_zero = values == 0;
  const at::Tensor counts =
      at::stack({values.isnan().sum(), values.isposinf().sum(), values.isneginf().sum(), is_zero.sum()}).cpu();
  const auto* const count = counts.const_data_ptr<int64_t>();
  result.elements = values.numel();
  result.nan = count[0];
  result.positive_infinity = count[1];
  result.negative_infinity = count[2];
  result.zeros = count[3];
  if (values.dim() == 1) result.zero_slices = {result.zeros};
  else result.zero_slices = zero_slices(is_zero);
  const int64_t finite = result.elements - count[0] - count[1] - count[2];
  if (finite == 0) return result;
  const at::Tensor known = finite == result.elements ? values : values.masked_select(values.isfinite());
  const at::Tensor numbers = at::stack({known.min(), known.max(), known.mean(), known.std(/*unbiased=*/false)}).cpu();
  const auto* const number = numbers.const_data_ptr<float>();
  result.min = number[0];
  result.max = number[1];
  result.mean = number[2];
  result.std = number[3];
  return result;
}

std::vector<float> thinned(at::Tensor values, const LookedValues& wanted) {
  const std::vector<int64_t>& steps = wanted.steps;
  if (steps.size() != static_cast<size_t>(values.dim()) ||
      std::any_of(steps.begin(), steps.end(), [](int64_t step) { return step < 1; }))
    throw Error("BAD_CALL", "The output of " + wanted.path + " has " + std::to_string(values.dim()) +
                                " dimensions, each of which takes a step of at least 1.");
  for (size_t dim = 0; dim < steps.size(); ++dim)
    values = values.slice(static_cast<int64_t>(dim), std::nullopt, std::nullopt, steps[dim]);
  const at::Tensor host = values.contiguous().cpu();
  return {host.const_data_ptr<float>(), host.const_data_ptr<float>() + host.numel()};
}

/// Looks at once, before a later layer may overwrite what this one made.
class Looker final : public Observer {
 public:
  explicit Looker(const LookRequest& request) : request_(request) {}

  at::Tensor run(const Node& node, const at::Tensor& input, const Pass& pass) override {
    const at::Tensor output = shapes_.run(node, input, pass);
    add(node.path, output);
    return output;
  }

  void add(const std::string& path, const at::Tensor& output) {
    const auto wanted = std::find_if(request_.values.begin(), request_.values.end(),
                                     [&](const LookedValues& each) { return each.path == path; });
    if (!request_.statistics && wanted == request_.values.end()) return;
    const at::Tensor values = output.select(0, 0).to(at::kFloat);
    LookedLayer layer{path, values.sizes().vec(), statistics_of(values), {}};
    if (wanted != request_.values.end()) layer.values = thinned(values, *wanted);
    layers.push_back(std::move(layer));
  }

  std::vector<LookedLayer> layers;

 private:
  const LookRequest& request_;
  ShapeCheck shapes_;
};

}  // namespace

LookResult Session::Impl::look(const LookRequest& request) {
  const SettingsScope settings(plan_);
  const Ema::Swap averaged(ema_.get());
  const c10::InferenceMode inference;
  const Batch batch = loader_.split_batch(request.split, request.index, 1);
  Looker looker(request);
  looker.add("input", batch.input);
  model_.forward(batch.input, {.training = false, .in_place = false, .observer = &looker});
  LookResult result{std::move(looker.layers), {}};
  if (plan_.target == Target::classes) result.target = batch.target.cpu().item<int64_t>();
  return result;
}

}  // namespace gradloom
