// Own kernels and rewrites against the ATen operators they stand for: equal values and gradients, with ties, NaN, infinities.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>

#include "core/kernels/max_pool.h"
#include "core/model/model.h"
#include "test.h"

namespace gradloom::test {

namespace {

/// Small whole numbers tie often; some are NaN or infinite; negative ones make windows that ReLU closes.
at::Tensor awkward(at::IntArrayRef sizes, bool special) {
  at::Tensor values = at::randint(-3, 3, sizes, at::kFloat);
  if (!special) return values;
  const at::Tensor dice = at::rand(sizes);
  values.masked_fill_(dice < 0.05, std::numeric_limits<double>::quiet_NaN());
  values.masked_fill_(dice > 0.97, std::numeric_limits<double>::infinity());
  values.masked_fill_((dice > 0.94).logical_and(dice < 0.97), -std::numeric_limits<double>::infinity());
  return values;
}

bool same(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && at::equal(a.isnan(), b.isnan()) && at::equal(at::nan_to_num(a), at::nan_to_num(b));
}

at::Tensor gradient(const at::Tensor& output, const at::Tensor& input, const at::Tensor& grad_output) {
  return torch::autograd::grad({output}, {input}, {grad_output})[0];
}

void pool_equals_aten() {
  const PoolWindow windows[] = {{2, 2, 2, 2, 0, 0, false}, {3, 3, 2, 2, 1, 1, false}, {3, 2, 1, 2, 1, 0, false}, {2, 2, 3, 3, 0, 0, false},
                                {1, 1, 1, 1, 0, 0, false}, {5, 5, 1, 1, 2, 2, false}, {2, 2, 3, 3, 1, 1, false}};
  for (PoolWindow w : windows) {
    for (const bool ceil_mode : {false, true}) {
      w.ceil_mode = ceil_mode;
      for (const int64_t size : {8, 9, 13}) {
        for (const bool relu : {false, true}) {
          for (const bool special : {false, true}) {
            const std::string where = "window " + std::to_string(w.kernel_h) + "x" + std::to_string(w.kernel_w) + ", size " +
                                      std::to_string(size) + (ceil_mode ? ", ceil" : "") + (relu ? ", relu" : "");
            const at::Tensor input = awkward({3, 19, size, size + 1}, special).requires_grad_(true);
            const at::Tensor before = relu ? at::relu(input) : input;
            const at::Tensor expected = at::max_pool2d(before, {w.kernel_h, w.kernel_w}, {w.stride_h, w.stride_w}, {w.padding_h, w.padding_w}, 1, ceil_mode);
            const at::Tensor last = input.detach().contiguous(at::MemoryFormat::ChannelsLast).requires_grad_(true);
            check(max_pool_applies(last, w), "does not apply: " + where);
            const at::Tensor found = max_pool(last, w, relu);
            check(same(found, expected), "other values: " + where);
            const at::Tensor grad = at::randn(expected.sizes());
            check(same(gradient(found, last, grad), gradient(expected, input, grad)), "other gradients: " + where);
          }
        }
      }
    }
  }
}

void relu_runs_after_pooling() {
  const auto plan = [](int64_t dilation) {
    const nlohmann::json pool = {{"kernel_size", 2}, {"stride", 2}, {"padding", 1}, {"dilation", dilation}, {"ceil_mode", false}};
    std::vector<LayerPlan> layers;
    layers.push_back({"0", "ReLU", Args(nlohmann::json::object(), "0"), {12, 9, 9}, {}});
    layers.push_back({"1", "MaxPool2d", Args(pool, "1"), dilation == 1 ? std::vector<int64_t>{12, 5, 5} : std::vector<int64_t>{12, 4, 4}, {}});
    return layers;
  };
  check(reorder(plan(1))[0].role == Role::pool_with_relu, "ReLU was not moved behind the pooling");
  check(reorder(plan(3))[0].role == Role::plain, "ReLU was moved behind a pooling with windows of padding only");
  for (const int64_t dilation : {1, 3}) {
    for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      const at::Tensor input = awkward({4, 12, 9, 9}, true).contiguous(format).requires_grad_(true);
      Registry registry{at::kCPU, {}, false};
      const List list = build_list(plan(dilation), registry);
      const at::Tensor found = list.forward(input, {.training = true});
      const at::Tensor expected = at::max_pool2d(at::relu(input), 2, 2, 1, dilation, false);
      check(same(found, expected), "other values");
      const at::Tensor grad = at::randn(expected.sizes());
      check(same(gradient(found, input, grad), gradient(expected, input, grad)), "other gradients");
    }
  }
}

void activations_spare_a_shared_input() {
  // Both branches read the block's input; neither may overwrite it, nor may the ReLU after an Identity.
  for (const char* kind : {"ReLU", "Sigmoid", "Tanh"}) {
    const LayerPlan activation{"0.branches.0.0", kind, Args(nlohmann::json::object(), ""), {6}, {}};
    const LayerPlan identity{"0.branches.1.0", "Identity", Args(nlohmann::json::object(), ""), {6}, {}};
    const Args join({{"join", "concat"}, {"dim", 1}}, "");
    const std::vector<LayerPlan> plan = {{"0", "Parallel", join, {12}, {{"0", {activation}}, {"1", {identity, activation}}, {"2", {identity}}}}};
    Registry registry{at::kCPU, {}, false};
    const at::Tensor input = at::randn({5, 6});
    const at::Tensor before = input.clone();
    const at::Tensor output = build_list(plan, registry).forward(input, {.training = true});
    check(at::equal(input, before), std::string(kind) + " overwrote its block's input");
    check(at::equal(output.narrow(1, 12, 6), before), std::string(kind) + " changed the other branch");
  }
}

constexpr Case cases[] = {
    {"max_pool equals ATen's, values and gradients", pool_equals_aten},
    {"ReLU after the following MaxPool2d gives equal values and gradients", relu_runs_after_pooling},
    {"activations never overwrite what others read", activations_spare_a_shared_input},
};

}  // namespace

std::span<const Case> kernel_cases() { return cases; }

}  // namespace gradloom::test
