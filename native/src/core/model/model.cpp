// Builds the tree of layers from the plan.
#include "core/model/model.h"

#include <ATen/ATen.h>

#include <set>
#include <utility>

#include "core/layers/table.h"

namespace gradloom {

at::Tensor List::forward(at::Tensor input, const Pass& pass) const {
  for (size_t i = 0; i < nodes.size();) i += run_next(input, pass, i, nodes.size());
  return input;
}

size_t List::run_next(at::Tensor& value, const Pass& pass, size_t index, size_t end) const {
  const Node& node = nodes[index];
  if (pass.observer != nullptr) {
    value = pass.observer->run(node, value, pass);
    return 1;
  }
  if (node.together && index + node.together_layers <= end) {
    value = node.together(value, pass);
    return node.together_layers;
  }
  value = node.forward(value, pass);
  return 1;
}

at::Tensor Builder::parameter(std::string_view name, const at::Tensor& values) {
  const at::Tensor tensor = values.to(registry_.device).requires_grad_(true);
  registry_.tensors.push_back({plan_.path + "." + std::string(name), tensor, false});
  return tensor;
}

at::Tensor Builder::buffer(std::string_view name, const at::Tensor& values) {
  const at::Tensor tensor = values.to(registry_.device);
  registry_.tensors.push_back({plan_.path + "." + std::string(name), tensor, true});
  return tensor;
}

std::shared_ptr<const List> Builder::list(const ListPlan& plan) {
  return std::make_shared<const List>(build_list(plan.layers, registry_));
}

void Builder::run_together(size_t layers, Forward forward) {
  together = std::move(forward);
  together_layers = layers;
}

List build_list(const std::vector<LayerPlan>& plans, Registry& registry) {
  List list;
  size_t group_end = 0;  // a group's result may be what its own backward needs
  for (size_t i = 0; i < plans.size(); ++i) {
    const LayerPlan& plan = plans[i];
    const LayerKind& row = layer_kind(plan);
    Builder builder(plan, std::span(plans).subspan(i + 1), registry, list.free_output);
    const bool drew_random = std::exchange(registry.draws_random, false);
    Forward forward = row.build(builder);
    list.nodes.push_back({plan.path, plan.kind, plan.output, std::move(forward), !plan.children.empty(),
                          builder.together, builder.together_layers, builder.sequence, registry.draws_random});
    registry.draws_random = registry.draws_random || drew_random;
    if (builder.together) group_end = std::max(group_end, i + builder.together_layers);
    list.free_output = row.free_output && i >= group_end;
  }
  return list;
}

Model::Model(const std::vector<LayerPlan>& layers, const std::vector<std::string>& segment_starts, c10::Device device)
    : registry_{device, {}, false}, layers_(std::make_shared<const List>(build_list(layers, registry_))) {
  if (!segment_starts.empty()) segments_ = cut_segments(*layers_, registry_, segment_starts);
}

at::Tensor Model::forward(const at::Tensor& input, Pass pass) const {
  if (!pass.masks) pass.masks = std::make_shared<Masks>();
  const bool checkpointed = pass.training && pass.observer == nullptr && segments_.size() > 1;
  return checkpointed ? forward_checkpointed(segments_, input, pass) : layers_->forward(input, pass);
}

std::vector<at::Tensor> Model::parameters() const {
  std::vector<at::Tensor> result;
  for (const ModelTensor& entry : registry_.tensors) {
    if (!entry.buffer) result.push_back(entry.tensor);
  }
  return result;
}

void Model::freeze(const std::vector<std::string>& names) {
  const std::set<std::string> frozen(names.begin(), names.end());
  for (const ModelTensor& entry : registry_.tensors) {
    if (!entry.buffer && frozen.contains(entry.name)) entry.tensor.set_requires_grad(false);
  }
}

std::vector<ModelTensor> Model::trainable() const {
  std::vector<ModelTensor> result;
  for (const ModelTensor& entry : registry_.tensors) {
    if (!entry.buffer && entry.tensor.requires_grad()) result.push_back(entry);
  }
  return result;
}

std::vector<at::Tensor> Model::buffers() const {
  std::vector<at::Tensor> result;
  for (const ModelTensor& entry : registry_.tensors) {
    if (entry.buffer) result.push_back(entry.tensor);
  }
  return result;
}

}  // namespace gradloom
