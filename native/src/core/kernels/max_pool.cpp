// The pooling kernels and their place in autograd.
#include "core/kernels/max_pool.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstring>

#include "core/kernels/simd.h"

namespace gradloom {

namespace {

/// In place of a maximum's place: no gradient passes here, ReLU closed it.
constexpr uint8_t closed = 255;
constexpr int64_t fewest_channels = 8;

struct Shape {
  int64_t samples, height, width, channels, out_h, out_w;
  PoolWindow window;
  bool relu;

  /// Every input element lies in exactly one window, so that backward need not clear first.
  bool tiles() const {
    return window.padding_h == 0 && window.padding_w == 0 && window.stride_h == window.kernel_h && window.stride_w == window.kernel_w &&
           height == out_h * window.kernel_h && width == out_w * window.kernel_w;
  }
};

/// PyTorch's rule; with `ceil_mode` the last window must begin inside the input or its padding before it.
int64_t output_size(int64_t size, int64_t kernel, int64_t stride, int64_t padding, bool ceil_mode) {
  const int64_t room = size + 2 * padding - kernel + (ceil_mode ? stride - 1 : 0);
  if (room < 0) return 0;
  const int64_t count = room / stride + 1;
  return ceil_mode && (count - 1) * stride >= size + padding ? count - 1 : count;
}

Shape shape_of(const at::Tensor& input, const PoolWindow& w, bool relu) {
  return {input.size(0), input.size(2), input.size(3), input.size(1), output_size(input.size(2), w.kernel_h, w.stride_h, w.padding_h, w.ceil_mode),
          output_size(input.size(3), w.kernel_w, w.stride_w, w.padding_w, w.ceil_mode), w, relu};
}

/// The part of a window that lies inside the input, and the number of its first place.
struct Span {
  int64_t top, bottom, left, right, first;
};

GRADLOOM_KERNEL_BODY Span span(const Shape& s, int64_t y, int64_t x) {
  const int64_t top = y * s.window.stride_h - s.window.padding_h;
  const int64_t left = x * s.window.stride_w - s.window.padding_w;
  const int64_t inside_top = std::max<int64_t>(top, 0);
  const int64_t inside_left = std::max<int64_t>(left, 0);
  return {inside_top, std::min(top + s.window.kernel_h, s.height), inside_left, std::min(left + s.window.kernel_w, s.width),
          (inside_top - top) * s.window.kernel_w + (inside_left - left)};
}

/// Samples [begin, end). A later place wins when greater or NaN: the first of equals and the last NaN, as in ATen.
GRADLOOM_KERNEL_BODY void forward_body(const Shape& s, const float* input, float* output, uint8_t* places, int64_t begin, int64_t end) {
  const int64_t channels = s.channels;
  for (int64_t row = begin * s.out_h; row < end * s.out_h; ++row) {
    const float* sample = input + row / s.out_h * s.height * s.width * channels;
    for (int64_t x = 0; x < s.out_w; ++x) {
      const Span window = span(s, row % s.out_h, x);
      float* out = output + (row * s.out_w + x) * channels;
      uint8_t* place = places + (row * s.out_w + x) * channels;
      const float* corner = sample + (window.top * s.width + window.left) * channels;
      const auto first = static_cast<uint8_t>(window.first);
      for (int64_t c = 0; c < channels; ++c) {
        out[c] = corner[c];
        place[c] = first;
      }
      for (int64_t h = window.top; h < window.bottom; ++h) {
        for (int64_t w = window.left; w < window.right; ++w) {
          const float* in = sample + (h * s.width + w) * channels;
          const auto here = static_cast<uint8_t>(window.first + (h - window.top) * s.window.kernel_w + (w - window.left));
          for (int64_t c = 0; c < channels; ++c) {
            const bool wins = !(in[c] <= out[c]);  // also when either is NaN; a number must not replace a NaN
            const bool keeps = out[c] != out[c] && in[c] == in[c];
            out[c] = wins && !keeps ? in[c] : out[c];
            place[c] = wins && !keeps ? here : place[c];
          }
        }
      }
      if (!s.relu) continue;
      for (int64_t c = 0; c < channels; ++c) {
        place[c] = out[c] <= 0 ? closed : place[c];
        out[c] = out[c] <= 0 ? 0 : out[c];
      }
    }
  }
}

GRADLOOM_KERNEL_BODY void backward_body(const Shape& s, const float* grad_output, const uint8_t* places, float* grad_input, int64_t begin,
                                        int64_t end) {
  const int64_t channels = s.channels;
  const bool tiles = s.tiles();
  const int64_t sample_size = s.height * s.width * channels;
  if (!tiles) std::memset(grad_input + begin * sample_size, 0, static_cast<size_t>((end - begin) * sample_size) * sizeof(float));
  for (int64_t row = begin * s.out_h; row < end * s.out_h; ++row) {
    float* sample = grad_input + row / s.out_h * sample_size;
    for (int64_t x = 0; x < s.out_w; ++x) {
      const Span window = span(s, row % s.out_h, x);
      const float* grad = grad_output + (row * s.out_w + x) * channels;
      const uint8_t* place = places + (row * s.out_w + x) * channels;
      for (int64_t h = window.top; h < window.bottom; ++h) {
        for (int64_t w = window.left; w < window.right; ++w) {
          float* in = sample + (h * s.width + w) * channels;
          const auto here = static_cast<uint8_t>(window.first + (h - window.top) * s.window.kernel_w + (w - window.left));
          if (tiles) {
            for (int64_t c = 0; c < channels; ++c) in[c] = place[c] == here ? grad[c] : 0;
          } else {
            for (int64_t c = 0; c < channels; ++c) in[c] += place[c] == here ? grad[c] : 0;
          }
        }
      }
    }
  }
}

using ForwardKernel = void (*)(const Shape&, const float*, float*, uint8_t*, int64_t, int64_t);
using BackwardKernel = void (*)(const Shape&, const float*, const uint8_t*, float*, int64_t, int64_t);

void forward_baseline(const Shape& s, const float* in, float* out, uint8_t* places, int64_t begin, int64_t end) {
  forward_body(s, in, out, places, begin, end);
}
void backward_baseline(const Shape& s, const float* grad, const uint8_t* places, float* in, int64_t begin, int64_t end) {
  backward_body(s, grad, places, in, begin, end);
}

#ifdef GRADLOOM_X86_VARIANTS
__attribute__((target("avx2"))) void forward_avx2(const Shape& s, const float* in, float* out, uint8_t* places, int64_t begin,
                                                  int64_t end) {
  forward_body(s, in, out, places, begin, end);
}
__attribute__((target("avx2"))) void backward_avx2(const Shape& s, const float* grad, const uint8_t* places, float* in, int64_t begin,
                                                   int64_t end) {
  backward_body(s, grad, places, in, begin, end);
}
__attribute__((target("avx512f,avx512bw,avx512vl"))) void forward_avx512(const Shape& s, const float* in, float* out, uint8_t* places,
                                                                         int64_t begin, int64_t end) {
  forward_body(s, in, out, places, begin, end);
}
__attribute__((target("avx512f,avx512bw,avx512vl"))) void backward_avx512(const Shape& s, const float* grad, const uint8_t* places,
                                                                          float* in, int64_t begin, int64_t end) {
  backward_body(s, grad, places, in, begin, end);
}
#endif

ForwardKernel forward_kernel() {
#ifdef GRADLOOM_X86_VARIANTS
  if (best_simd() == Simd::avx512) return forward_avx512;
  if (best_simd() == Simd::avx2) return forward_avx2;
#endif
  return forward_baseline;
}

BackwardKernel backward_kernel() {
#ifdef GRADLOOM_X86_VARIANTS
  if (best_simd() == Simd::avx512) return backward_avx512;
  if (best_simd() == Simd::avx2) return backward_avx2;
#endif
  return backward_baseline;
}

at::Tensor channels_last(at::IntArrayRef sizes, const at::TensorOptions& options) {
  return at::empty(sizes, options.memory_format(at::MemoryFormat::ChannelsLast));
}

class MaxPool : public torch::autograd::Function<MaxPool> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input, const Shape& shape) {
    at::Tensor output = channels_last({shape.samples, shape.channels, shape.out_h, shape.out_w}, input.options());
    at::Tensor places = channels_last(output.sizes(), input.options().dtype(at::kByte));
    const auto* in = input.const_data_ptr<float>();
    auto* out = output.mutable_data_ptr<float>();
    auto* place = places.mutable_data_ptr<uint8_t>();
    const ForwardKernel kernel = forward_kernel();
    at::parallel_for(0, shape.samples, 1, [&](int64_t begin, int64_t end) { kernel(shape, in, out, place, begin, end); });
    context->save_for_backward({places});
    const PoolWindow& w = shape.window;
    context->saved_data["shape"] = std::vector<int64_t>{shape.samples, shape.height,   shape.width,    shape.channels, shape.out_h,
                                                        shape.out_w,   w.kernel_h,     w.kernel_w,     w.stride_h,     w.stride_w,
                                                        w.padding_h,   w.padding_w,    w.ceil_mode,    shape.relu};
    return output;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, torch::autograd::variable_list gradients) {
    const std::vector<int64_t> v = context->saved_data["shape"].toIntVector();
    const Shape shape{v[0], v[1], v[2], v[3], v[4], v[5], {v[6], v[7], v[8], v[9], v[10], v[11], v[12] != 0}, v[13] != 0};
    const at::Tensor grad_output = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor places = context->get_saved_variables()[0];
    at::Tensor grad_input = channels_last({shape.samples, shape.channels, shape.height, shape.width}, grad_output.options());
    const auto* grad = grad_output.const_data_ptr<float>();
    const auto* place = places.const_data_ptr<uint8_t>();
    auto* in = grad_input.mutable_data_ptr<float>();
    const BackwardKernel kernel = backward_kernel();
    at::parallel_for(0, shape.samples, 1, [&](int64_t begin, int64_t end) { kernel(shape, grad, place, in, begin, end); });
    return {grad_input, at::Tensor()};
  }
};

}  // namespace

bool max_pool_applies(const at::Tensor& input, const PoolWindow& w) {
  if (!input.is_cpu() || input.scalar_type() != at::kFloat || input.dim() != 4 || input.size(1) < fewest_channels) return false;
  if (!input.is_contiguous(at::MemoryFormat::ChannelsLast) || w.kernel_h * w.kernel_w >= closed) return false;
  const Shape shape = shape_of(input, w, false);
  // Each window then has an element of the input in it.
  return shape.out_h > 0 && shape.out_w > 0 && 2 * w.padding_h <= w.kernel_h && 2 * w.padding_w <= w.kernel_w;
}

at::Tensor max_pool(const at::Tensor& input, const PoolWindow& window, bool relu) {
  return MaxPool::apply(input, shape_of(input, window, relu));
}

}  // namespace gradloom
