// Builds the tree of layers from the plan.
#include "core/model/model.h"

#include <ATen/ATen.h>

#include "core/layers/table.h"

namespace gradloom {

at::Tensor List::forward(at::Tensor input, const Pass& pass) const {
  for (const Node& node : nodes) {
    input = pass.observer == nullptr ? node.forward(input, pass) : pass.observer->run(node, input, pass);
  }
  return input;
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

List build_list(const std::vector<LayerPlan>& plans, Registry& registry) {
  List list;
  for (const Placement& placement : reorder(plans)) {
    const LayerPlan& plan = placement.plan;
    const LayerKind& row = layer_kind(plan);
    Builder builder(placement, registry, list.free_output);
    list.nodes.push_back({plan.path, plan.kind, plan.output, row.build(builder), !plan.children.empty()});
    list.free_output = row.free_output;
  }
  return list;
}

Model::Model(const std::vector<LayerPlan>& layers, c10::Device device)
    : registry_{device, {}, false}, layers_(build_list(layers, registry_)) {}

std::vector<at::Tensor> Model::parameters() const {
  std::vector<at::Tensor> result;
  for (const ModelTensor& entry : registry_.tensors) {
    if (!entry.buffer) result.push_back(entry.tensor);
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
