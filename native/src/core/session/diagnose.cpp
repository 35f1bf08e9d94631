// Where a step stops being finite: the parameters it begins with, every layer's output, the loss, the gradients from
// the last layer to the first, then the update.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>

#include "core/session/step.h"

namespace gradloom {

namespace {

bool finite(const at::Tensor& values) {
  return !values.is_floating_point() || values.isfinite().all().item<bool>();
}

ValueCounts count(const at::Tensor& tensor) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const at::Tensor values = tensor.detach();
  ValueCounts counts;
  counts.elements = values.numel();
  counts.nan = values.isnan().sum().item<int64_t>();
  counts.positive_infinity = values.isposinf().sum().item<int64_t>();
  counts.negative_infinity = values.isneginf().sum().item<int64_t>();
  if (counts.nan + counts.positive_infinity + counts.negative_infinity == counts.elements) return counts;
  const at::Tensor known = values.isfinite();
  counts.min = at::where(known, values, infinity).min().item<double>();
  counts.max = at::where(known, values, -infinity).max().item<double>();
  return counts;
}

struct Seen {
  const Node* node;
  at::Tensor input;
  at::Tensor output;
};

class Recorder final : public Observer {
 public:
  at::Tensor run(const Node& node, const at::Tensor& input, const Pass& pass) override {
    const at::Tensor output = node.forward(input, pass);
    seen.push_back({&node, input, output});
    return output;
  }

  std::vector<Seen> seen;
};

/// The layer that a tensor's name belongs to: a block's children have longer paths than it has.
const LayerPlan* owner(const std::vector<LayerPlan>& layers, const std::string& tensor) {
  for (const LayerPlan& layer : layers) {
    if (tensor.compare(0, layer.path.size() + 1, layer.path + ".") != 0) continue;
    for (const ListPlan& child : layer.children) {
      if (const LayerPlan* inside = owner(child.layers, tensor)) return inside;
    }
    if (layer.children.empty()) return &layer;
  }
  return nullptr;
}

bool inside(const Node& node, const Node& block) {
  return block.children && node.path.starts_with(block.path + ".");
}

/// The layer whose backward makes the gradient of an output: the one that takes it, or the block that joins it with
/// others. null: the loss. Blocks come after their children.
const Node* consumer(const std::vector<Seen>& seen, size_t output) {
  const Node* taken = nullptr;
  for (size_t i = output + 1; i < seen.size(); ++i) {
    const Node& node = *seen[i].node;
    if (inside(*seen[output].node, node)) return taken != nullptr ? taken : &node;
    if (taken == nullptr && seen[i].input.is_same(seen[output].output)) taken = &node;
  }
  return taken;
}

Diagnosis at_layer(const std::string& phase, const Node& node, const at::Tensor& values) {
  return {phase, node.path, node.kind, {}, {}, count(values)};
}

Diagnosis nowhere(const std::string& phase, const at::Tensor& values) {
  return {phase, {}, {}, {}, {}, count(values)};
}

/// Optimizer and parameters as they are now; puts them back.
class Undo {
 public:
  Undo(const std::vector<at::Tensor>& parameters, ParameterGroups& optimizer)
      : optimizer_(optimizer), started_(optimizer.started()), tensors_(parameters) {
    for (const auto& [name, tensor] : optimizer.state()) tensors_.push_back(tensor);
    for (const at::Tensor& tensor : tensors_) before_.push_back(tensor.detach().clone());
  }
  ~Undo() {
    const at::NoGradGuard no_grad;
    for (size_t i = 0; i < tensors_.size(); ++i) tensors_[i].detach().copy_(before_[i]);
    optimizer_.reread(started_);
  }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;

 private:
  ParameterGroups& optimizer_;
  bool started_;
  std::vector<at::Tensor> tensors_;
  std::vector<at::Tensor> before_;
};

}  // namespace

/// The step under examination.
class Session::Impl::Examination {
 public:
  explicit Examination(Impl& session) : session_(session) {}

  Diagnosis run(const DiagnoseRequest& request) {
    for (const ModelTensor& entry : session_.model_.tensors()) {
      if (!entry.buffer && !finite(entry.tensor)) return at_tensor("parameters", entry.name, entry.tensor);
    }
    for (int64_t i = 0; i < request.batches; ++i) {
      Diagnosis found = run_batch(request.epoch, request.batch + i, request.batches == 1);
      if (found.phase == "none") continue;
      found.batch = request.batch + i;
      return found;
    }
    const at::NoGradGuard no_grad;
    if (divisor_.defined()) at::_foreach_div_(gradients_, divisor_);
    if (auto found = first_bad_gradient(gradients_)) return *found;
    for (const ModelTensor& entry : session_.model_.tensors()) {
      if (entry.buffer && !finite(entry.tensor)) return at_tensor("update", entry.name, entry.tensor);
    }
    return request.groups.empty() ? Diagnosis() : try_update(request.groups);
  }

 private:
  Diagnosis run_batch(int64_t epoch, int64_t index, bool alone) {
    const Batch batch = session_.train_batch(epoch, index);
    if (!finite(batch.input)) return nowhere("input", batch.input);
    if (!finite(batch.target)) return nowhere("input", batch.target);
    Recorder recorder;
    std::optional<AutocastScope> autocast(session_.autocast_);
    const at::Tensor output =
        align(session_.model_.forward(batch.input, {.training = true, .in_place = false, .observer = &recorder}),
              session_.plan_.target);
    for (const Seen& seen : recorder.seen) {
      if (!finite(seen.output)) return at_layer("forward", *seen.node, seen.output);
    }
    const at::Tensor loss = alone ? session_.loss_->mean(output, batch.target) : session_.loss_->sum(output, batch.target);
    autocast.reset();
    if (!finite(loss)) return nowhere("loss", loss);
    return run_backward(recorder.seen, loss, alone ? at::Tensor() : session_.loss_->divisor(output.detach(), batch.target));
  }

  /// Backward runs from the last layer to the first; the first gradient in that order that is not finite is the one.
  Diagnosis run_backward(const std::vector<Seen>& seen, const at::Tensor& loss, const at::Tensor& divisor) {
    std::vector<at::Tensor> wanted = session_.parameters_;
    std::vector<size_t> places;
    for (size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i].output.requires_grad()) continue;
      wanted.push_back(seen[i].output);
      places.push_back(i);
    }
    std::vector<at::Tensor> gradients =
        torch::autograd::grad({loss}, wanted, {}, std::nullopt, false, /*allow_unused=*/true);
    const size_t parameters = session_.parameters_.size();
    const std::vector<at::Tensor> flowing(gradients.begin() + static_cast<std::ptrdiff_t>(parameters), gradients.end());
    gradients.resize(parameters);
    for (size_t i = places.size(); i-- > 0;) {
      if (flowing[i].defined() && !finite(flowing[i])) {
        const Node* maker = consumer(seen, places[i]);
        return maker != nullptr ? at_layer("backward", *maker, flowing[i]) : nowhere("backward", flowing[i]);
      }
      const Node& node = *seen[places[i]].node;
      if (node.children) continue;
      if (auto found = first_bad_gradient(gradients, node.path + ".")) return *found;
    }
    const at::NoGradGuard no_grad;
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].defined()) gradients[i] = at::zeros_like(session_.parameters_[i]);
    }
    if (gradients_.empty()) {
      gradients_ = std::move(gradients);
    } else {
      at::_foreach_add_(gradients_, gradients);
    }
    if (divisor.defined()) divisor_ = divisor_.defined() ? divisor_ + divisor : divisor;
    return {};
  }

  /// Of the parameters whose names begin with `prefix`.
  std::optional<Diagnosis> first_bad_gradient(const std::vector<at::Tensor>& gradients, const std::string& prefix = {}) {
    size_t parameter = 0;
    for (const ModelTensor& entry : session_.model_.trainable()) {
      const at::Tensor& gradient = gradients[parameter++];
      if (gradient.defined() && entry.name.starts_with(prefix) && !finite(gradient))
        return at_tensor("backward", entry.name, gradient);
    }
    return std::nullopt;
  }

  Diagnosis try_update(const std::vector<GroupSchedule>& groups) {
    const Undo undo(session_.parameters_, session_.optimizer_);
    clip_gradients(session_.plan_, gradients_);
    session_.optimizer_.step(gradients_, step_values(groups, 0), at::zeros_like(session_.found_inf_));
    for (const ModelTensor& entry : session_.model_.trainable()) {
      if (!finite(entry.tensor)) return at_tensor("update", entry.name, entry.tensor);
    }
    for (const auto& [name, tensor] : session_.optimizer_.state()) {
      if (!finite(tensor)) return at_tensor("update", name, tensor);
    }
    return {};
  }

  Diagnosis at_tensor(const std::string& phase, const std::string& name, const at::Tensor& values) const {
    Diagnosis found{phase, {}, {}, name, {}, count(values)};
    if (const LayerPlan* layer = owner(session_.plan_.model, name)) {
      found.layer = layer->path;
      found.kind = layer->kind;
    }
    return found;
  }

  Impl& session_;
  std::vector<at::Tensor> gradients_;  // summed over the batches
  at::Tensor divisor_;
};

Diagnosis Session::Impl::diagnose(const DiagnoseRequest& request) {
  const SettingsScope settings(plan_);
  const Generators::Scope randomness(generators_);
  const at::AutoGradMode grad_mode(true);
  const Step unkept(*this, request.batches, 0);  // takes buffers and generators back at the end
  return Examination(*this).run(request);
}

void Session::Impl::save_batch(int64_t epoch, int64_t index, const std::string& file) {
  const SettingsScope settings(plan_);
  const Batch batch = train_batch(epoch, index);
  write_safetensors(file, {{"input", batch.input}, {"target", batch.target}}, {{"format", "pt"}});
}

}  // namespace gradloom
