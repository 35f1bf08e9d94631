// Pooling's place in autograd, alone and behind a convolution.
#include "core/kernels/max_pool.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <algorithm>

#include "core/autocast.h"

namespace gradloom {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

/// A slice of a convolution's output that stays in a core's cache.
constexpr int64_t slice_bytes = 1 << 20;

at::Tensor channels_last(at::IntArrayRef sizes, const at::TensorOptions& options) {
  return at::empty(sizes, options.memory_format(at::MemoryFormat::ChannelsLast));
}

at::Tensor dense(const at::Tensor& tensor) {
  return tensor.contiguous(at::MemoryFormat::ChannelsLast);
}

PoolShape shape_for(const at::Tensor& input, const PoolWindow& window, bool relu) {
  return pool_shape(input.size(1), input.size(2), input.size(3), window, relu);
}

/// `output` and `places` are slices of samples as long as `input`.
void pool_forward(const PoolShape& shape, const at::Tensor& input, const at::Tensor& bias, const at::Tensor& output,
                  const at::Tensor& places) {
  const auto* in = input.const_data_ptr<float>();
  const auto* add = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
  auto* out = output.mutable_data_ptr<float>();
  auto* place = places.mutable_data_ptr<uint8_t>();
  at::parallel_for(0, input.size(0), 1,
                   [&](int64_t begin, int64_t end) { pool_loops().forward(shape, in, add, out, place, begin, end); });
}

void pool_backward(const PoolShape& shape, const at::Tensor& grad_output, const at::Tensor& places,
                   const at::Tensor& grad_input, const at::Tensor& grad_bias) {
  const auto* grad = grad_output.const_data_ptr<float>();
  const auto* place = places.const_data_ptr<uint8_t>();
  auto* in = grad_input.mutable_data_ptr<float>();
  auto* sums = grad_bias.defined() ? grad_bias.mutable_data_ptr<float>() : nullptr;
  at::parallel_for(0, grad_output.size(0), 1, [&](int64_t begin, int64_t end) {
    pool_loops().backward(shape, grad, place, in, sums, begin, end);
  });
}

/// Plain values kept from forward to backward.
template <typename Value>
struct Kept : torch::CustomClassHolder {
  explicit Kept(Value kept) : value(std::move(kept)) {}
  Value value;
};

template <typename Value>
void keep(AutogradContext* context, Value value) {
  context->saved_data["kept"] = c10::IValue::make_capsule(c10::make_intrusive<Kept<Value>>(std::move(value)));
}

template <typename Value>
Value kept(AutogradContext* context) {
  return c10::static_intrusive_pointer_cast<Kept<Value>>(context->saved_data["kept"].toCapsule())->value;
}

class MaxPool : public Function<MaxPool> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const PoolWindow& window, bool relu) {
    const PoolShape shape = shape_for(input, window, relu);
    const at::Tensor output = channels_last({input.size(0), shape.channels, shape.out_h, shape.out_w}, input.options());
    const at::Tensor places = channels_last(output.sizes(), input.options().dtype(at::kByte));
    pool_forward(shape, input, {}, output, places);
    context->save_for_backward({places});
    keep(context, shape);
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto shape = kept<PoolShape>(context);
    const at::Tensor grad_output = dense(gradients[0]);
    const at::Tensor places = context->get_saved_variables()[0];
    const at::Tensor grad_input =
        channels_last({places.size(0), shape.channels, shape.height, shape.width}, grad_output.options());
    pool_backward(shape, grad_output, places, grad_input, {});
    return {grad_input, {}, {}};
  }
};

struct ConvPool {
  ConvArgs conv;
  PoolShape shape;
  int64_t slice;  // samples at a time
  bool bias;
};

/// The convolution's output without the batch: channels, height, width.
PoolShape conv_shape(const at::Tensor& input, const at::Tensor& weight, const ConvArgs& conv, const PoolWindow& window,
                     bool relu) {
  const auto size = [&](int64_t dim) {
    const auto i = static_cast<size_t>(dim - 2);
    return (input.size(dim) + 2 * conv.padding[i] - conv.dilation[i] * (weight.size(dim) - 1) - 1) / conv.stride[i] + 1;
  };
  return pool_shape(weight.size(0), size(2), size(3), window, relu);
}

/// As many samples as fit the cache of each thread; with a large weight more, since its gradient is added up once a
/// slice.
int64_t slice_samples(const PoolShape& shape, const at::Tensor& weight) {
  const int64_t sample_bytes = shape.channels * shape.height * shape.width * static_cast<int64_t>(sizeof(float));
  const auto bytes = std::max<int64_t>(slice_bytes * at::get_num_threads(), 8 * static_cast<int64_t>(weight.nbytes()));
  return std::max<int64_t>(at::get_num_threads(), bytes / sample_bytes);
}

class ConvMaxPool : public Function<ConvMaxPool> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias, const ConvArgs& conv, const PoolWindow& window,
                            bool relu) {
    const PoolShape shape = conv_shape(input, weight, conv, window, relu);
    const ConvPool all{conv, shape, slice_samples(shape, weight), bias.has_value()};
    const int64_t samples = input.size(0);
    const at::Tensor output = channels_last({samples, shape.channels, shape.out_h, shape.out_w}, input.options());
    const at::Tensor places = channels_last(output.sizes(), input.options().dtype(at::kByte));
    for (int64_t start = 0; start < samples; start += all.slice) {
      const int64_t count = std::min(all.slice, samples - start);
      const at::Tensor between = dense(
          at::conv2d(input.narrow(0, start, count), weight, {}, conv.stride, conv.padding, conv.dilation, conv.groups));
      pool_forward(shape, between, bias.value_or(at::Tensor()), output.narrow(0, start, count),
                   places.narrow(0, start, count));
    }
    context->save_for_backward({input, weight, places});
    keep(context, all);
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto all = kept<ConvPool>(context);
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& input = saved[0];
    const at::Tensor& weight = saved[1];
    const at::Tensor grad_output = dense(gradients[0]);
    const int64_t samples = input.size(0);
    const bool input_wanted = context->needs_input_grad(0);
    const bool weight_wanted = context->needs_input_grad(1);
    const at::Tensor grad_input = input_wanted ? channels_last(input.sizes(), input.options()) : at::Tensor();
    const at::Tensor grad_biases = all.bias ? at::empty({samples, all.shape.channels}, input.options()) : at::Tensor();
    at::Tensor grad_weight;
    for (int64_t start = 0; start < samples; start += all.slice) {
      const int64_t count = std::min(all.slice, samples - start);
      const at::Tensor between =
          channels_last({count, all.shape.channels, all.shape.height, all.shape.width}, input.options());
      pool_backward(all.shape, grad_output.narrow(0, start, count), saved[2].narrow(0, start, count), between,
                    all.bias ? grad_biases.narrow(0, start, count) : at::Tensor());
      const auto [to_input, to_weight, none] = at::convolution_backward(
          between, input.narrow(0, start, count), weight, at::OptionalIntArrayRef(), all.conv.stride, all.conv.padding,
          all.conv.dilation, false, {0, 0}, all.conv.groups, {input_wanted, weight_wanted, false});
      if (input_wanted) grad_input.narrow(0, start, count).copy_(to_input);
      if (weight_wanted) grad_weight = grad_weight.defined() ? grad_weight.add_(to_weight) : to_weight;
    }
    return {grad_input, grad_weight, all.bias ? grad_biases.sum(0) : at::Tensor(), {}, {}, {}};
  }
};

bool takes(const at::Tensor& input) {
  return input.is_cpu() && input.scalar_type() == at::kFloat && input.dim() == 4 && input.size(0) > 0;
}

}  // namespace

bool max_pool_applies(const at::Tensor& input, const PoolWindow& window) {
  return takes(input) && input.is_contiguous(at::MemoryFormat::ChannelsLast) && shape_for(input, window, false).valid();
}

at::Tensor max_pool(const at::Tensor& input, const PoolWindow& window, bool relu) {
  return MaxPool::apply(input, window, relu);
}

bool conv_max_pool_applies(const at::Tensor& input, const at::Tensor& weight, const ConvArgs& conv,
                           const PoolWindow& window) {
  // Under autocast the convolution answers in another type than its input's.
  return takes(input) && !autocast_now(at::kCPU).enabled && at::hasMKLDNN() &&
         at::globalContext().userEnabledMkldnn() && input.size(1) == weight.size(1) * conv.groups &&
         conv_shape(input, weight, conv, window, false).valid();
}

at::Tensor conv_max_pool(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                         const ConvArgs& conv, const PoolWindow& window, bool relu) {
  return ConvMaxPool::apply(input, weight, bias.defined() ? std::optional(bias) : std::nullopt, conv, window, relu);
}

}  // namespace gradloom
