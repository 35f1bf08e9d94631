// One source of the loops for several instruction sets; the compiler makes vectors of them.
#include "core/kernels/pool_loops.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#define GRADLOOM_X86_VARIANTS 1
#endif

#if defined(__GNUC__)
/// Put into each variant, whose instruction set it takes on.
#define GRADLOOM_BODY inline __attribute__((always_inline))
#else
#define GRADLOOM_BODY inline
#endif

namespace gradloom {

namespace {

/// In place of a maximum's place: no gradient passes here, ReLU closed it.
constexpr uint8_t closed = pool_places;

/// PyTorch's rule; with `ceil_mode` the last window must begin inside the input or its padding before it.
int64_t output_size(int64_t size, int64_t kernel, int64_t stride, int64_t padding, bool ceil_mode) {
  const int64_t room = size + 2 * padding - kernel + (ceil_mode ? stride - 1 : 0);
  if (room < 0) return 0;
  const int64_t count = room / stride + 1;
  return ceil_mode && (count - 1) * stride >= size + padding ? count - 1 : count;
}

/// The part of a window that lies inside the input, and the number of its first place.
struct Span {
  int64_t top, bottom, left, right, first;
};

GRADLOOM_BODY Span span(const PoolShape& s, int64_t y, int64_t x) {
  const int64_t top = y * s.window.stride_h - s.window.padding_h;
  const int64_t left = x * s.window.stride_w - s.window.padding_w;
  const int64_t inside_top = std::max<int64_t>(top, 0);
  const int64_t inside_left = std::max<int64_t>(left, 0);
  return {inside_top, std::min(top + s.window.kernel_h, s.height), inside_left,
          std::min(left + s.window.kernel_w, s.width), (inside_top - top) * s.window.kernel_w + (inside_left - left)};
}

/// Samples [begin, end). A later place wins when greater or NaN: the first of equals and the last NaN, as in ATen.
GRADLOOM_BODY void forward_body(const PoolShape& s, const float* input, const float* bias, float* output,
                                uint8_t* places, int64_t begin, int64_t end) {
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
          const auto here =
              static_cast<uint8_t>(window.first + (h - window.top) * s.window.kernel_w + (w - window.left));
          for (int64_t c = 0; c < channels; ++c) {
            const bool wins = !(in[c] <= out[c]);  // also when either is NaN; a number must not replace a NaN
            const bool keeps = out[c] != out[c] && in[c] == in[c];
            out[c] = wins && !keeps ? in[c] : out[c];
            place[c] = wins && !keeps ? here : place[c];
          }
        }
      }
      if (bias != nullptr) {
        for (int64_t c = 0; c < channels; ++c) out[c] += bias[c];
      }
      if (!s.relu) continue;
      for (int64_t c = 0; c < channels; ++c) {
        place[c] = out[c] <= 0 ? closed : place[c];
        out[c] = out[c] <= 0 ? 0 : out[c];
      }
    }
  }
}

GRADLOOM_BODY void backward_body(const PoolShape& s, const float* grad_output, const uint8_t* places, float* grad_input,
                                 float* grad_bias, int64_t begin, int64_t end) {
  const int64_t channels = s.channels;
  const bool tiles = s.tiles();
  if (grad_bias != nullptr)
    std::memset(grad_bias + begin * channels, 0, static_cast<size_t>((end - begin) * channels) * sizeof(float));
  const int64_t sample_size = s.height * s.width * channels;
  if (!tiles)
    std::memset(grad_input + begin * sample_size, 0, static_cast<size_t>((end - begin) * sample_size) * sizeof(float));
  for (int64_t row = begin * s.out_h; row < end * s.out_h; ++row) {
    float* sample = grad_input + row / s.out_h * sample_size;
    for (int64_t x = 0; x < s.out_w; ++x) {
      const Span window = span(s, row % s.out_h, x);
      const float* grad = grad_output + (row * s.out_w + x) * channels;
      const uint8_t* place = places + (row * s.out_w + x) * channels;
      if (grad_bias != nullptr) {
        float* sum = grad_bias + row / s.out_h * channels;
        for (int64_t c = 0; c < channels; ++c) sum[c] += place[c] == closed ? 0 : grad[c];
      }
      for (int64_t h = window.top; h < window.bottom; ++h) {
        for (int64_t w = window.left; w < window.right; ++w) {
          float* in = sample + (h * s.width + w) * channels;
          const auto here =
              static_cast<uint8_t>(window.first + (h - window.top) * s.window.kernel_w + (w - window.left));
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

void forward_baseline(const PoolShape& s, const float* in, const float* bias, float* out, uint8_t* places,
                      int64_t begin, int64_t end) {
  forward_body(s, in, bias, out, places, begin, end);
}
void backward_baseline(const PoolShape& s, const float* grad, const uint8_t* places, float* in, float* bias,
                       int64_t begin, int64_t end) {
  backward_body(s, grad, places, in, bias, begin, end);
}

#ifdef GRADLOOM_X86_VARIANTS
__attribute__((target("avx2"))) void forward_avx2(const PoolShape& s, const float* in, const float* bias, float* out,
                                                  uint8_t* places, int64_t begin, int64_t end) {
  forward_body(s, in, bias, out, places, begin, end);
}
__attribute__((target("avx2"))) void backward_avx2(const PoolShape& s, const float* grad, const uint8_t* places,
                                                   float* in, float* bias, int64_t begin, int64_t end) {
  backward_body(s, grad, places, in, bias, begin, end);
}
__attribute__((target("avx512f,avx512bw,avx512vl"))) void forward_avx512(const PoolShape& s, const float* in,
                                                                         const float* bias, float* out, uint8_t* places,
                                                                         int64_t begin, int64_t end) {
  forward_body(s, in, bias, out, places, begin, end);
}
__attribute__((target("avx512f,avx512bw,avx512vl"))) void backward_avx512(const PoolShape& s, const float* grad,
                                                                          const uint8_t* places, float* in, float* bias,
                                                                          int64_t begin, int64_t end) {
  backward_body(s, grad, places, in, bias, begin, end);
}
#endif

constexpr PoolLoops baseline = {forward_baseline, backward_baseline};
#ifdef GRADLOOM_X86_VARIANTS
constexpr PoolLoops avx2 = {forward_avx2, backward_avx2};
constexpr PoolLoops avx512 = {forward_avx512, backward_avx512};
#endif

}  // namespace

bool PoolShape::tiles() const {
  return window.padding_h == 0 && window.padding_w == 0 && window.stride_h == window.kernel_h &&
         window.stride_w == window.kernel_w && height == out_h * window.kernel_h && width == out_w * window.kernel_w;
}

bool PoolShape::valid() const {
  return channels >= fewest_channels && window.kernel_h * window.kernel_w < pool_places && out_h > 0 && out_w > 0 &&
         2 * window.padding_h <= window.kernel_h && 2 * window.padding_w <= window.kernel_w;
}

PoolShape pool_shape(int64_t channels, int64_t height, int64_t width, const PoolWindow& w, bool relu) {
  return {height,
          width,
          channels,
          output_size(height, w.kernel_h, w.stride_h, w.padding_h, w.ceil_mode),
          output_size(width, w.kernel_w, w.stride_w, w.padding_w, w.ceil_mode),
          w,
          relu};
}

std::vector<PoolLoops> pool_loop_variants() {
  std::vector<PoolLoops> usable = {baseline};
#ifdef GRADLOOM_X86_VARIANTS
  if (__builtin_cpu_supports("avx2")) usable.push_back(avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    usable.push_back(avx512);
#endif
  return usable;
}

const PoolLoops& pool_loops() {
  static const PoolLoops best = pool_loop_variants().back();
  return best;
}

}  // namespace gradloom
