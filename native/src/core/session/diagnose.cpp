// Where a batch stops being finite: every layer's output, the loss, then the gradients from the last layer to the
// first.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/session/step.h"

namespace gradloom {

namespace {

bool finite(const at::Tensor& values) {
  return values.isfinite().all().item<bool>();
}

struct Seen {
  const Node* node;
  at::Tensor output;
};

class Recorder final : public Observer {
 public:
  at::Tensor run(const Node& node, const at::Tensor& input, const Pass& pass) override {
    const at::Tensor output = node.forward(input, pass);
    seen.push_back({&node, output});
    return output;
  }

  std::vector<Seen> seen;
};

Diagnosis at_layer(const std::string& phase, const Node& node) {
  return {phase, node.path, node.kind};
}

/// A layer's own tensors start with its path; a block's children have longer ones.
bool owns(const Node& node, const std::string& tensor) {
  return tensor.size() > node.path.size() && tensor.compare(0, node.path.size(), node.path) == 0 &&
         tensor[node.path.size()] == '.' && !node.children;
}

}  // namespace

Diagnosis Session::Impl::diagnose(int64_t epoch, int64_t index) {
  const SettingsScope settings(plan_);
  const Generators::Scope randomness(generators_);
  const at::AutoGradMode grad_mode(true);
  const Step unkept(*this);  // takes buffers and generators back at the end

  const Batch batch = loader_.train_batch(epoch, index);
  if (!finite(batch.input)) return {"input", std::nullopt, std::nullopt};
  Recorder recorder;
  const at::Tensor output = model_.forward(batch.input, {.training = true, .in_place = false, .observer = &recorder});
  for (const Seen& seen : recorder.seen) {
    if (!finite(seen.output)) return at_layer("forward", *seen.node);
  }
  const at::Tensor loss = loss_->mean(output, batch.target);
  if (!finite(loss)) return {"loss", std::nullopt, std::nullopt};

  std::vector<at::Tensor> wanted = parameters_;
  std::vector<const Node*> nodes;
  for (const Seen& seen : recorder.seen) {
    if (!seen.output.requires_grad()) continue;
    wanted.push_back(seen.output);
    nodes.push_back(seen.node);
  }
  const std::vector<at::Tensor> gradients =
      torch::autograd::grad({loss}, wanted, {}, std::nullopt, false, /*allow_unused=*/true);
  const auto bad = [&](size_t i) { return gradients[i].defined() && !finite(gradients[i]); };
  // Backward runs from the last layer to the first: in that order the first gradient of an output that is not finite
  // was made by the layer after it, unless it is the last, whose gradient the loss made.
  for (size_t i = nodes.size(); i-- > 0;) {
    if (bad(parameters_.size() + i))
      return i + 1 < nodes.size() ? at_layer("backward", *nodes[i + 1])
                                  : Diagnosis{"backward", std::nullopt, std::nullopt};
    size_t parameter = 0;
    for (const ModelTensor& entry : model_.tensors()) {
      if (entry.buffer) continue;
      if (owns(*nodes[i], entry.name) && bad(parameter)) return at_layer("backward", *nodes[i]);
      ++parameter;
    }
  }
  return {};
}

}  // namespace gradloom
