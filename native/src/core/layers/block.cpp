// Stacks of layers that are layers themselves.
#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>

#include <map>

#include "core/errors.h"
#include "core/layers/init.h"
#include "core/layers/table.h"

namespace gradloom {

namespace {

using Lists = std::vector<std::shared_ptr<const List>>;

/// Built in the plan's order: that is the order of random draws.
Lists build_children(Builder& build) {
  Lists lists;
  for (const ListPlan& child : build.plan().children) lists.push_back(build.list(child));
  return lists;
}

at::Tensor join_by(at::Tensor (*join)(const at::Tensor&, const at::Tensor&), const Lists& branches,
                   const at::Tensor& input, const Pass& pass) {
  at::Tensor result = branches.front()->forward(input, pass);
  for (size_t i = 1; i < branches.size(); ++i) result = join(result, branches[i]->forward(input, pass));
  return result;
}

at::Tensor add(const at::Tensor& a, const at::Tensor& b) {
  return at::add(a, b);
}
at::Tensor multiply(const at::Tensor& a, const at::Tensor& b) {
  return at::mul(a, b);
}

Forward build_residual(Builder& build) {
  const Lists lists = build_children(build);
  if (lists.empty())
    throw Error("BAD_CALL", "Residual " + build.plan().path + " has no layers.", "Plan the project again.",
                build.plan().path);
  const std::shared_ptr<const List> layers = lists.front();
  const std::shared_ptr<const List> shortcut = lists.size() > 1 ? lists[1] : std::make_shared<const List>();
  return [layers, shortcut](const at::Tensor& input, const Pass& pass) {
    at::Tensor result = layers->forward(input, pass);
    const at::Tensor side = shortcut->forward(input, pass);
    // Under autocast the two may differ in type, and their sum has the wider one; broadcast, it has more values.
    const bool overwrite = layers->free_output && pass.in_place && result.scalar_type() == side.scalar_type() &&
                           at::is_expandable_to(side.sizes(), result.sizes());
    return overwrite ? result.add_(side) : at::add(result, side);
  };
}

Forward build_parallel(Builder& build) {
  const Lists branches = build_children(build);
  const std::string join = build.args().string("join");
  if (join == "add")
    return [branches](const at::Tensor& x, const Pass& pass) { return join_by(add, branches, x, pass); };
  if (join == "multiply")
    return [branches](const at::Tensor& x, const Pass& pass) { return join_by(multiply, branches, x, pass); };
  return [branches, dim = build.args().integer("dim")](const at::Tensor& input, const Pass& pass) {
    std::vector<at::Tensor> outputs;
    for (const auto& branch : branches) outputs.push_back(branch->forward(input, pass));
    return at::cat(outputs, dim);
  };
}

Forward build_repeat(Builder& build) {
  const Lists repetitions = build_children(build);
  build.runs_in_turn(repetitions);
  return [repetitions](const at::Tensor& input, const Pass& pass) {
    at::Tensor x = input;
    for (const auto& repetition : repetitions) x = repetition->forward(x, pass);
    return x;
  };
}

using Function = at::Tensor (*)(const at::Tensor&);

at::Tensor gelu(const at::Tensor& x) {
  return at::gelu(x);
}

/// The function of a class of torch.nn that takes no arguments.
Function function_named(const Args& args, std::string_view argument) {
  static const std::map<std::string, Function> functions = {
      {"ReLU", at::relu},   {"ReLU6", at::relu6},           {"SiLU", at::silu},       {"GELU", gelu},
      {"Mish", at::mish},   {"Hardswish", at::hardswish},   {"Sigmoid", at::sigmoid}, {"Hardsigmoid", at::hardsigmoid},
      {"Tanh", at::tanh},
  };
  return functions.at(args.string(argument));
}

Forward build_squeeze_excite(Builder& build) {
  const std::vector<int64_t> down = {build.args().integer("squeeze_channels"), build.args().integer("input_channels"),
                                     1, 1};
  const std::vector<int64_t> up = {down[1], down[0], 1, 1};
  const at::Tensor weight1 = build.parameter("fc1.weight", draw_weight(down));
  const at::Tensor bias1 = build.parameter("fc1.bias", draw_bias(down));
  const at::Tensor weight2 = build.parameter("fc2.weight", draw_weight(up));
  const at::Tensor bias2 = build.parameter("fc2.bias", draw_bias(up));
  const Function activation = function_named(build.args(), "activation");
  const Function scale_activation = function_named(build.args(), "scale_activation");
  return [=](const at::Tensor& input, const Pass&) {
    const at::Tensor squeezed = activation(at::conv2d(at::adaptive_avg_pool2d(input, {1, 1}), weight1, bias1));
    return at::mul(scale_activation(at::conv2d(squeezed, weight2, bias2)), input);
  };
}

constexpr LayerKind rows[] = {
    {"Residual", {}, build_residual, true},
    {"Parallel", {"join", "dim"}, build_parallel},
    {"Repeat", {}, build_repeat},
    {"SqueezeExcite",
     {"input_channels", "squeeze_channels", "activation", "scale_activation"},
     build_squeeze_excite},
};

}  // namespace

std::span<const LayerKind> block_layers() {
  return rows;
}

}  // namespace gradloom
