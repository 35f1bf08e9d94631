// Own kernels and rewrites against the ATen operators they stand for: equal values and gradients, with ties, NaN,
// infinities.
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
  const PoolWindow windows[] = {{2, 2, 2, 2, 0, 0, false}, {3, 3, 2, 2, 1, 1, false}, {3, 2, 1, 2, 1, 0, false},
                                {2, 2, 3, 3, 0, 0, false}, {1, 1, 1, 1, 0, 0, false}, {5, 5, 1, 1, 2, 2, false},
                                {2, 2, 3, 3, 1, 1, false}};
  for (PoolWindow w : windows) {
    for (const bool ceil_mode : {false, true}) {
      w.ceil_mode = ceil_mode;
      for (const int64_t size : {8, 9, 13}) {
        for (const bool relu : {false, true}) {
          for (const bool special : {false, true}) {
            const std::string where = "window " + std::to_string(w.kernel_h) + "x" + std::to_string(w.kernel_w) +
                                      ", size " + std::to_string(size) + (ceil_mode ? ", ceil" : "") +
                                      (relu ? ", relu" : "");
            const at::Tensor input = awkward({3, 19, size, size + 1}, special).requires_grad_(true);
            const at::Tensor before = relu ? at::relu(input) : input;
            const at::Tensor expected = at::max_pool2d(before, {w.kernel_h, w.kernel_w}, {w.stride_h, w.stride_w},
                                                       {w.padding_h, w.padding_w}, 1, ceil_mode);
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

/// The list as it runs in training, and layer by layer as an observer sees it.
struct Onlooker final : Observer {
  at::Tensor run(const Node& node, const at::Tensor& input, const Pass& pass) override {
    return node.forward(input, pass);
  }
};

LayerPlan layer(const std::string& path, const std::string& kind, const nlohmann::json& args) {
  return {path, kind, Args(args, path), {}, {}};
}

nlohmann::json pool_args(int64_t dilation) {
  return {{"kernel_size", 2}, {"stride", 2}, {"padding", 1}, {"dilation", dilation}, {"ceil_mode", false}};
}

void relu_runs_after_pooling() {
  for (const int64_t dilation : {1, 3}) {
    const std::vector<LayerPlan> plan = {layer("0", "ReLU", nlohmann::json::object()),
                                         layer("1", "MaxPool2d", pool_args(dilation))};
    Registry registry{at::kCPU, {}, false};
    const List list = build_list(plan, registry);
    check(list.nodes[0].together_layers == (dilation == 1 ? 2 : 1),
          "only a window without dilation may go before the ReLU");
    for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      const at::Tensor input = awkward({4, 12, 9, 9}, true).contiguous(format).requires_grad_(true);
      const at::Tensor found = list.forward(input, {.training = true});
      const at::Tensor expected = at::max_pool2d(at::relu(input), 2, 2, 1, dilation, false);
      check(same(found, expected), "other values");
      const at::Tensor grad = at::randn(expected.sizes());
      check(same(gradient(found, input, grad), gradient(expected, input, grad)), "other gradients");
    }
  }
}

void close(const at::Tensor& found, const at::Tensor& expected, const std::string& what) {
  const double difference = (found - expected).abs().max().item<double>();
  check(difference <= 1e-5 * expected.abs().max().item<double>(), what + " differs by " + std::to_string(difference));
}

void convolution_runs_with_pooling() {
  for (const bool relu : {false, true}) {
    for (const bool bias : {false, true}) {
      for (const int64_t groups : {1, 2}) {
        for (const int64_t samples : {1, 3, 600}) {  // the last in several slices
          const nlohmann::json conv = {{"in_channels", 4}, {"out_channels", 12}, {"kernel_size", {3, 3}},
                                       {"stride", {1, 2}}, {"padding", {1, 0}},  {"dilation", {1, 1}},
                                       {"groups", groups}, {"bias", bias},       {"padding_mode", "zeros"}};
          std::vector<LayerPlan> plan = {layer("0", "Conv2d", conv), layer("1", "MaxPool2d", pool_args(1)),
                                         layer("2", "Sigmoid", nlohmann::json::object())};
          if (relu) plan.insert(plan.begin() + 1, layer("1", "ReLU", nlohmann::json::object()));
          Registry registry{at::kCPU, {}, false};
          const List list = build_list(plan, registry);
          check(list.nodes[0].together_layers == (relu ? 3 : 2), "does not run together");
          // On a coarse grid every sum is exact, so that no rounding decides which of two near values is the maximum.
          std::vector<at::Tensor> wanted = {at::randint(-4, 5, {samples, 4, 20, 21}, at::kFloat).requires_grad_(true)};
          for (const ModelTensor& entry : registry.tensors) {
            entry.tensor.detach().mul_(64).round_().div_(64);
            wanted.push_back(entry.tensor);
          }
          Onlooker onlooker;
          const at::Tensor found = list.forward(wanted[0], {.training = true});
          const at::Tensor expected =
              list.forward(wanted[0], {.training = true, .in_place = false, .observer = &onlooker});
          close(found, expected, "output");
          const at::Tensor grad = at::randn(expected.sizes());
          const auto found_gradients = torch::autograd::grad({found}, wanted, {grad});
          const auto expected_gradients = torch::autograd::grad({expected}, wanted, {grad});
          for (size_t i = 0; i < wanted.size(); ++i)
            close(found_gradients[i], expected_gradients[i], "gradient " + std::to_string(i));
        }
      }
    }
  }
}

void loops_agree() {
  const PoolWindow window{3, 2, 2, 2, 1, 0, true};
  for (const bool relu : {false, true}) {
    const at::Tensor input = awkward({3, 11, 13, 19}, true);
    const PoolShape shape = pool_shape(19, 11, 13, window, relu);
    const at::Tensor bias = at::randn({19});
    const at::Tensor grad = at::randn({3, shape.out_h, shape.out_w, 19});
    std::vector<at::Tensor> first;
    for (const PoolLoops& loops : pool_loop_variants()) {
      const at::Tensor output = at::empty_like(grad), places = at::empty(grad.sizes(), at::kByte);
      const at::Tensor grad_input = at::empty_like(input), grad_bias = at::empty({3, 19});
      loops.forward(shape, input.const_data_ptr<float>(), bias.const_data_ptr<float>(),
                    output.mutable_data_ptr<float>(), places.mutable_data_ptr<uint8_t>(), 0, 3);
      loops.backward(shape, grad.const_data_ptr<float>(), places.const_data_ptr<uint8_t>(),
                     grad_input.mutable_data_ptr<float>(), grad_bias.mutable_data_ptr<float>(), 0, 3);
      const std::vector<at::Tensor> results = {output, places, grad_input, grad_bias};
      if (first.empty()) first = results;
      for (size_t i = 0; i < results.size(); ++i)
        check(same(results[i].to(at::kFloat), first[i].to(at::kFloat)), "result " + std::to_string(i) + " differs");
    }
  }
}

void activations_spare_a_shared_input() {
  // Both branches read the block's input; neither may overwrite it, nor may the ReLU after an Identity.
  for (const char* kind : {"ReLU", "Sigmoid", "Tanh"}) {
    const LayerPlan activation{"0.branches.0.0", kind, Args(nlohmann::json::object(), ""), {6}, {}};
    const LayerPlan identity{"0.branches.1.0", "Identity", Args(nlohmann::json::object(), ""), {6}, {}};
    const Args join({{"join", "concat"}, {"dim", 1}}, "");
    const std::vector<LayerPlan> plan = {
        {"0", "Parallel", join, {12}, {{"0", {activation}}, {"1", {identity, activation}}, {"2", {identity}}}}};
    Registry registry{at::kCPU, {}, false};
    const at::Tensor input = at::randn({5, 6});
    const at::Tensor before = input.clone();
    const at::Tensor output = build_list(plan, registry).forward(input, {.training = true});
    check(at::equal(input, before), std::string(kind) + " overwrote its block's input");
    check(at::equal(output.narrow(1, 12, 6), before), std::string(kind) + " changed the other branch");
  }
}

void strided_points_keep_within_memory() {
  // oneDNN's own way of this breaks the heap with an odd number of samples: seen by the values, or by what is allocated.
  for (const int64_t channels : {1, 3, 8, 15, 16}) {
    for (const auto& [stride, padding] : {std::pair(std::vector<int64_t>{2, 2}, 0), {{1, 3}, 0}, {{2, 2}, 1}}) {
      const nlohmann::json args = {{"in_channels", channels},        {"out_channels", 12}, {"kernel_size", {1, 1}},
                                   {"stride", stride},               {"dilation", {1, 1}}, {"groups", 1},
                                   {"padding", {padding, padding}},  {"bias", true},       {"padding_mode", "zeros"}};
      Registry registry{at::kCPU, {}, false};
      const List list = build_list(std::vector{layer("0", "Conv2d", args)}, registry);
      const at::Tensor weight = registry.tensors[0].tensor, bias = registry.tensors[1].tensor;
      for (int round = 0; round < 4; ++round) {
        const at::Tensor input = at::randn({5, channels, 32, 31}).contiguous(at::MemoryFormat::ChannelsLast);
        const std::vector<at::Tensor> wanted = {at::Tensor(input).requires_grad_(true), weight, bias};
        const at::Tensor found = list.forward(wanted[0], {.training = true});
        const at::Tensor expected =
            at::conv2d(wanted[0].contiguous(), weight.contiguous(), bias, stride, {padding, padding});
        close(found, expected, std::to_string(channels) + " channels: output");
        const at::Tensor grad = at::randn(expected.sizes());
        const auto found_gradients = torch::autograd::grad({found}, wanted, {grad});
        const auto expected_gradients = torch::autograd::grad({expected}, wanted, {grad});
        for (size_t i = 0; i < wanted.size(); ++i)
          close(found_gradients[i], expected_gradients[i], std::to_string(channels) + " channels: gradient");
      }
    }
  }
}

void images_pool_as_volumes() {
  const nlohmann::json conv = {{"in_channels", 4},    {"out_channels", 6},  {"kernel_size", {3, 3}},
                               {"stride", {1, 1}},    {"dilation", {1, 1}}, {"groups", 1},
                               {"padding", {1, 1}},   {"bias", false},      {"padding_mode", "zeros"}};
  const nlohmann::json pool = {{"kernel_size", {2, 2, 2}}, {"stride", {2, 2, 2}},   {"padding", {0, 0, 0}},
                               {"dilation", {1, 1, 1}},    {"ceil_mode", false}};
  Registry registry{at::kCPU, {}, false};
  const List list = build_list(std::vector{layer("0", "MaxPool3d", pool), layer("1", "Conv2d", conv)}, registry);
  const at::Tensor input = at::randn({3, 8, 10, 10}).requires_grad_(true);
  const at::Tensor found = list.forward(input, {.training = true});
  const at::Tensor expected =
      at::conv2d(at::max_pool3d(input, 2), registry.tensors[0].tensor.contiguous(), {}, 1, 1);
  close(found, expected, "output");
  const at::Tensor grad = at::randn(expected.sizes());
  close(gradient(found, input, grad), gradient(expected, input, grad), "gradient");
}

constexpr Case cases[] = {
    {"max_pool equals ATen's, values and gradients", pool_equals_aten},
    {"ReLU after the following MaxPool2d gives equal values and gradients", relu_runs_after_pooling},
    {"Conv2d, ReLU and MaxPool2d together equal the three layers", convolution_runs_with_pooling},
    {"a strided 1×1 convolution of few channels keeps within its memory", strided_points_keep_within_memory},
    {"MaxPool3d takes an image before a convolution as a volume, in both passes", images_pool_as_volumes},
    {"every instruction set gives the same pooling", loops_agree},
    {"activations never overwrite what others read", activations_spare_a_shared_input},
};

}  // namespace

std::span<const Case> kernel_cases() {
  return cases;
}

}  // namespace gradloom::test
