// Forward passes in eval mode over a split: loss, metrics, confusion, predictions. The training generator is not
// touched.
#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <limits>

#include "core/errors.h"
#include "core/session/impl.h"

namespace gradloom {

namespace {

/// Adds a batch's counts to an int64 matrix [classes, classes]; targets that are no class (ignored ones) count nowhere.
void count_confusion(at::Tensor& counts, const at::Tensor& output, const at::Tensor& target) {
  const int64_t classes = output.size(1);
  if (!counts.defined()) counts = at::zeros({classes * classes}, target.options());
  const at::Tensor valid = target.ge(0).logical_and(target.lt(classes));
  const at::Tensor cell = at::where(valid, target * classes + output.argmax(1), 0);
  counts.index_put_({cell}, valid.to(at::kLong), /*accumulate=*/true);
}

/// Summed on the host in double, batch after batch, so that the result does not depend on float32's reach.
double total(const std::vector<at::Tensor>& scalars) {
  const at::Tensor host = at::stack(scalars).cpu();
  const auto values = host.accessor<float, 1>();
  double sum = 0;
  for (int64_t i = 0; i < host.size(0); ++i) sum += values[i];
  return sum;
}

std::vector<float> host_floats(const std::vector<at::Tensor>& parts) {
  const at::Tensor all = at::cat(parts).to(at::kCPU, at::kFloat).contiguous();
  return {all.const_data_ptr<float>(), all.const_data_ptr<float>() + all.numel()};
}

}  // namespace

at::Tensor Session::Impl::predict_batch(const at::Tensor& input) {
  const AutocastScope autocast(autocast_);
  return forward(input, false).to(at::kFloat);
}

EvaluateResult Session::Impl::evaluate(const EvaluateRequest& request) {
  const SettingsScope settings(plan_);
  const Ema::Swap averaged(ema_.get());
  const c10::InferenceMode inference;
  const int64_t count = loader_.split_count(request.split);
  if (request.batch_size < 1)
    throw Error("BAD_CALL", "A batch needs at least one sample.", "Give batch_size at least 1.");

  EvaluateResult result;
  std::vector<at::Tensor> losses, divisors;
  std::vector<std::vector<at::Tensor>> metrics(metrics_.size());
  at::Tensor confusion;
  for (int64_t start = 0; start < count; start += request.batch_size) {
    if (cancelled.exchange(false)) {
      result.cancelled = true;
      break;
    }
    const Batch batch = loader_.split_batch(request.split, start, request.batch_size);
    at::Tensor output;
    {
      const AutocastScope autocast(autocast_);
      output = forward(batch.input, false);
      losses.push_back(loss_->sum(output, batch.target).to(at::kFloat));
    }
    output = output.to(at::kFloat);
    divisors.push_back(loss_->divisor(output, batch.target));
    for (size_t i = 0; i < metrics_.size(); ++i) metrics[i].push_back(metrics_[i]->sum(output, batch.target));
    if (request.confusion) count_confusion(confusion, output, batch.target);
    result.samples += batch.samples;
  }
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  result.loss = losses.empty() ? nothing : total(losses) / total(divisors);
  for (size_t i = 0; i < metrics_.size(); ++i) {
    result.metrics[std::string(metrics_[i]->name)] =
        losses.empty() ? nothing : total(metrics[i]) / static_cast<double>(result.samples);
  }
  if (confusion.defined()) {
    const at::Tensor host = confusion.cpu();
    result.confusion.emplace(host.const_data_ptr<int64_t>(), host.const_data_ptr<int64_t>() + host.numel());
  }
  return result;
}

PredictResult Session::Impl::predict(const PredictRequest& request) {
  const SettingsScope settings(plan_);
  const Ema::Swap averaged(ema_.get());
  const c10::InferenceMode inference;
  const int64_t end = std::min(request.start + request.count, loader_.split_count(request.split));

  PredictResult result;
  std::vector<at::Tensor> logits, probabilities;
  for (int64_t start = request.start; start < end; start += plan_.loader.batch_size) {
    if (cancelled.exchange(false)) break;
    const Batch batch = loader_.split_batch(request.split, start, std::min(plan_.loader.batch_size, end - start));
    const at::Tensor output = predict_batch(batch.input);
    logits.push_back(output.flatten(1));
    probabilities.push_back(loss_->probabilities(output).flatten(1));
    result.width = logits.back().size(1);
    if (batch.target.scalar_type() == at::kLong && batch.target.dim() == 1) {
      const at::Tensor target = batch.target.cpu();
      result.targets.insert(result.targets.end(), target.const_data_ptr<int64_t>(),
                            target.const_data_ptr<int64_t>() + target.numel());
    } else {
      result.targets.insert(result.targets.end(), static_cast<size_t>(batch.samples),
                            std::numeric_limits<double>::quiet_NaN());
    }
  }
  if (logits.empty()) return result;
  result.logits = host_floats(logits);
  result.probabilities = host_floats(probabilities);
  return result;
}

}  // namespace gradloom
