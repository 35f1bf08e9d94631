// Forward passes in eval mode over a split: loss, metrics, confusion, predictions. The training generator is not
// touched.
#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <limits>

#include "core/errors.h"
#include "core/metrics/decisions.h"
#include "core/session/impl.h"

namespace gradloom {

namespace {

/// Decisions against targets as torchmetrics' confusion matrices have them: of classes [true, decided], of labels
/// [label, true, decided].
class Confusion {
 public:
  Confusion(const Answer& answer, Target target)
      : decisions_(of_labels(answer, target), answer.output.size(1), answer.loss.ignore_index()) {}

  void update(const Answer& answer) {
    const auto [decided, target, valid, label] = decisions_.read(answer);
    const bool labels = label.defined();
    const int64_t size = labels ? 2 : decisions_.classes();
    if (!counts_.defined())
      counts_ = at::zeros({labels ? decisions_.classes() * 4 : size * size}, decided.options());
    const at::Tensor cell = target * size + decided;
    count_into(counts_, at::where(valid, labels ? label * 4 + cell : cell, 0), valid);
  }

  std::vector<double> read() const {
    const at::Tensor host = counts_.cpu();
    return {host.const_data_ptr<int64_t>(), host.const_data_ptr<int64_t>() + host.numel()};
  }

 private:
  static bool of_labels(const Answer& answer, Target target) {
    return target == Target::multi_label || answer.output.size(1) == 1;
  }

  Decisions decisions_;
  at::Tensor counts_;
};

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
  for (const auto& [key, metric] : metrics_) metric->reset();
  std::optional<Confusion> confusion;
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
      // A copy: mse_loss and its like answer their number in memory as large as the output.
      losses.push_back(loss_->sum(output, batch.target).to(at::kFloat).clone());
    }
    output = output.to(at::kFloat);
    divisors.push_back(loss_->divisor(output, batch.target));
    const Answer answer{output, batch.target, *loss_};
    for (const auto& [key, metric] : metrics_) metric->update(answer);
    if (request.confusion && !confusion) confusion.emplace(answer, plan_.target);
    if (confusion) confusion->update(answer);
    result.samples += batch.samples;
  }
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  result.loss = losses.empty() ? nothing : total(losses) / total(divisors);
  for (const auto& [key, metric] : metrics_) {
    result.metrics[key] = metric->compute();
    metric->reset();  // scores of a whole split need not stay
  }
  if (confusion) result.confusion = confusion->read();
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
    logits.push_back(in_own_order(output, plan_.target).flatten(1));
    probabilities.push_back(in_own_order(loss_->probabilities(output), plan_.target).flatten(1));
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
