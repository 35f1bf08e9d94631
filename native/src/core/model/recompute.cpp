// A node of autograd's graph for each segment: forward runs without a graph, backward runs the segment again with one.
#include "core/model/recompute.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <algorithm>

#include "core/autocast.h"
#include "core/errors.h"
#include "core/generator_state.h"

namespace gradloom {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

/// What forward leaves for backward besides tensors.
struct Rerun : torch::CustomClassHolder {
  Rerun(const Segment& ran, AutocastState numbers, std::shared_ptr<Masks> padding)
      : segment(ran), autocast(numbers), masks(std::move(padding)) {}

  const Segment& segment;  // lives as long as the model
  AutocastState autocast;
  std::shared_ptr<Masks> masks;  // made by earlier segments, too
  at::Generator generator;  // undefined where nothing is drawn
  at::Tensor generator_before;
};

/// While it lives the generator stands where the segment's forward began; then where it stood.
class GeneratorScope {
 public:
  explicit GeneratorScope(const Rerun& rerun) : generator_(rerun.generator) {
    if (!generator_.defined()) return;
    outside_ = generator_state(generator_);
    set_generator_state(generator_, rerun.generator_before);
  }
  ~GeneratorScope() {
    if (generator_.defined()) set_generator_state(generator_, outside_);
  }
  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;

 private:
  at::Generator generator_;
  at::Tensor outside_;
};

class Recompute : public Function<Recompute> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::TensorList& parameters,
                            const Segment* segment, const Pass& pass) {
    auto rerun = c10::make_intrusive<Rerun>(*segment, autocast_now(input.device().type()), pass.masks);
    if (segment->draws_random) {
      rerun->generator = at::globalContext().defaultGenerator(input.device());
      rerun->generator_before = generator_state(rerun->generator);
    }
    variable_list saved = {input};
    saved.insert(saved.end(), parameters.begin(), parameters.end());
    context->save_for_backward(std::move(saved));
    const at::Tensor output = segment->forward(input, pass);
    context->saved_data["rerun"] = c10::IValue::make_capsule(std::move(rerun));
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto rerun = c10::static_intrusive_pointer_cast<Rerun>(context->saved_data["rerun"].toCapsule());
    const variable_list saved = context->get_saved_variables();
    const bool input_wanted = context->needs_input_grad(0);
    const at::Tensor input = saved[0].detach().requires_grad_(input_wanted);
    at::Tensor output;
    {
      const at::AutoGradMode grad_mode(true);
      const GeneratorScope randomness(*rerun);
      const AutocastScope autocast(rerun->autocast);
      output = rerun->segment.forward(input, {.training = true, .recomputing = true, .masks = rerun->masks});
    }
    variable_list wanted(saved.begin() + 1, saved.end());
    if (input_wanted) wanted.insert(wanted.begin(), input);
    variable_list result = torch::autograd::grad({output}, wanted, {gradients[0]});
    if (!input_wanted) result.insert(result.begin(), at::Tensor());
    result.insert(result.end(), 2, at::Tensor());  // of the arguments that are no tensors
    return result;
  }
};

/// A layer's tensors start with its path.
bool belongs(const std::string& tensor, const Node& node) {
  return tensor.size() > node.path.size() && tensor.compare(0, node.path.size(), node.path) == 0 &&
         tensor[node.path.size()] == '.';
}

class Cutter {
 public:
  Cutter(const Registry& registry, const std::vector<std::string>& starts) : registry_(registry), starts_(starts) {}

  void walk(const List& list) {
    for (size_t i = 0; i < list.nodes.size(); ++i) {
      const Node& node = list.nodes[i];
      if (!node.sequence.empty()) {
        for (const auto& inner : node.sequence) walk(*inner);
        continue;
      }
      const bool starts = std::find(starts_.begin(), starts_.end(), node.path) != starts_.end();
      if (segments.empty() && !starts)
        throw Error("BAD_CALL", "The first segment does not begin at the first layer, " + node.path + ".",
                    "Plan the project again with this version.", "activation_checkpointing");
      if (starts) segments.emplace_back();
      add(list, i);
    }
  }

  std::vector<Segment> segments;

 private:
  void add(const List& list, size_t index) {
    Segment& segment = segments.back();
    const Node& node = list.nodes[index];
    if (!segment.stretches.empty() && segment.stretches.back().list == &list && segment.stretches.back().end == index) {
      ++segment.stretches.back().end;
    } else {
      segment.stretches.push_back({&list, index, index + 1});
    }
    segment.draws_random = segment.draws_random || node.draws_random;
    for (const ModelTensor& entry : registry_.tensors) {
      if (!entry.buffer && belongs(entry.name, node)) segment.parameters.push_back(entry.tensor);
    }
  }

  const Registry& registry_;
  const std::vector<std::string>& starts_;
};

}  // namespace

at::Tensor Segment::forward(at::Tensor input, Pass pass) const {
  for (size_t i = 0; i < stretches.size(); ++i) {
    const auto& [list, begin, end] = stretches[i];
    size_t at = begin;
    if (i == 0) {
      // The segment's input is needed again: its first layer must not overwrite it.
      pass.in_place = false;
      at += list->run_next(input, pass, begin, end);
      pass.in_place = true;
    }
    while (at < end) at += list->run_next(input, pass, at, end);
  }
  return input;
}

std::vector<Segment> cut_segments(const List& list, const Registry& registry, const std::vector<std::string>& starts) {
  Cutter cutter(registry, starts);
  cutter.walk(list);
  if (cutter.segments.size() != starts.size())
    throw Error("BAD_CALL", "Not every segment begins at a layer of the model's sequence.",
                "Plan the project again with this version.", "activation_checkpointing");
  return std::move(cutter.segments);
}

at::Tensor forward_checkpointed(const std::vector<Segment>& segments, at::Tensor input, const Pass& pass) {
  for (size_t i = 0; i + 1 < segments.size(); ++i) {
    std::vector<at::Tensor> parameters;
    for (const at::Tensor& parameter : segments[i].parameters) {
      if (parameter.requires_grad()) parameters.push_back(parameter);
    }
    input = Recompute::apply(input, at::TensorList(parameters), &segments[i], pass);
  }
  // Its backward pass follows at once: nothing would be gained.
  return segments.back().forward(input, pass);
}

}  // namespace gradloom
