// What a layer is natively: a forward function made by its kind's table row, in a tree of lists.
#pragma once

#include <ATen/core/TensorBody.h>
#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/masks.h"
#include "core/plan.h"

namespace gradloom {

class Observer;
struct List;

/// How a forward is run.
struct Pass {
  bool training = false;
  /// Activations may overwrite an input that nobody else reads. Off when every layer's output is looked at afterwards.
  bool in_place = true;
  /// The second time in one step: statistics have been taken already.
  bool recomputing = false;
  Observer* observer = nullptr;
  /// Of this pass; a model's forward makes them where the caller has none.
  std::shared_ptr<Masks> masks = nullptr;
};

using Forward = std::function<at::Tensor(const at::Tensor& input, const Pass& pass)>;

struct Node {
  std::string path;
  std::string kind;
  std::vector<int64_t> output;  // planned dims without the batch
  Forward forward;
  bool children = false;  // a block: its layers are observed before it is
  /// This layer and the next ones in one go, with equal results for less work: taken when nobody looks at each layer.
  Forward together = nullptr;
  size_t together_layers = 1;
  /// For a block that only runs these lists one after the other.
  std::vector<std::shared_ptr<const List>> sequence;
  bool draws_random = false;  // so does something within it
};

/// Stands around every layer of a pass, in order of execution: to check, measure or record.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual at::Tensor run(const Node& node, const at::Tensor& input, const Pass& pass) = 0;
};

/// Layers one after the other.
struct List {
  std::vector<Node> nodes;
  bool free_output = false;  // see LayerKind

  at::Tensor forward(at::Tensor input, const Pass& pass) const;

  /// Replaces `value` by what the layer at `index` makes of it, or that and the next ones in one go if none of them
  /// lies at `end` or behind; answers how many.
  size_t run_next(at::Tensor& value, const Pass& pass, size_t index, size_t end) const;
};

/// A parameter or buffer, on the model's device.
struct ModelTensor {
  std::string name;
  at::Tensor tensor;
  bool buffer = false;
};

/// What is collected while a model is built, in the order torch.nn.Sequential registers.
struct Registry {
  c10::Device device;
  std::vector<ModelTensor> tensors;
  bool draws_random = false;  // a training forward uses the generator
};

/// A kind's view of the layer to build: arguments, neighbours, and where its tensors go.
class Builder {
 public:
  /// `following` are the layers after it in its list.
  Builder(const LayerPlan& plan, std::span<const LayerPlan> following, Registry& registry, bool owns_input)
      : plan_(plan), following_(following), registry_(registry), owns_input_(owns_input) {}

  const Args& args() const { return plan_.args; }
  const LayerPlan& plan() const { return plan_; }
  std::span<const LayerPlan> following() const { return following_; }
  c10::Device device() const { return registry_.device; }

  /// Registers a trainable tensor; `values` are its initial ones, on the CPU.
  at::Tensor parameter(std::string_view name, const at::Tensor& values);
  at::Tensor buffer(std::string_view name, const at::Tensor& values);

  /// Builds a list of children. Shared because forwards are copyable functions.
  std::shared_ptr<const List> list(const ListPlan& plan);

  /// True when the input is read by nobody else and no gradient needs its values.
  bool owns_input() const { return owns_input_; }
  void draws_random() { registry_.draws_random = true; }

  /// Offers a forward of this layer and the next `layers - 1` in one go.
  void run_together(size_t layers, Forward forward);

  /// Tells that the forward does nothing but run these lists one after the other.
  void runs_in_turn(std::vector<std::shared_ptr<const List>> lists) { sequence = std::move(lists); }

  Forward together;
  size_t together_layers = 1;
  std::vector<std::shared_ptr<const List>> sequence;

 private:
  const LayerPlan& plan_;
  std::span<const LayerPlan> following_;
  Registry& registry_;
  bool owns_input_;
};

List build_list(const std::vector<LayerPlan>& plans, Registry& registry);

}  // namespace gradloom
