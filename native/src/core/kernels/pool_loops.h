// The loops of max pooling over channels_last floats, with a bias and ReLU included if wanted. No torch in here.
#pragma once

#include <cstdint>
#include <vector>

namespace gradloom {

struct PoolWindow {
  int64_t kernel_h, kernel_w;
  int64_t stride_h, stride_w;
  int64_t padding_h, padding_w;
  bool ceil_mode;
};

/// A maximum's place in its window is a byte below this.
constexpr uint8_t pool_places = 255;

/// Fewer are not worth running along.
constexpr int64_t fewest_channels = 8;

/// One sample's dimensions.
struct PoolShape {
  int64_t height, width, channels, out_h, out_w;
  PoolWindow window;
  bool relu;

  /// Every input element lies in exactly one window, so that backward need not clear first.
  bool tiles() const;

  /// Every window has an element of the input in it, and every place fits in a byte.
  bool valid() const;
};

/// The output's size by PyTorch's rules; 0 where the window does not fit.
PoolShape pool_shape(int64_t channels, int64_t height, int64_t width, const PoolWindow& window, bool relu);

/// Samples [begin, end) of dense channels_last arrays. `bias` (one a channel) may be null. `grad_bias` may be null;
/// else each sample gets its row of sums [samples, channels].
struct PoolLoops {
  void (*forward)(const PoolShape&, const float* input, const float* bias, float* output, uint8_t* places,
                  int64_t begin, int64_t end);
  void (*backward)(const PoolShape&, const float* grad_output, const uint8_t* places, float* grad_input,
                   float* grad_bias, int64_t begin, int64_t end);
};

/// The best for this processor.
const PoolLoops& pool_loops();

/// All that this processor can run, for tests.
std::vector<PoolLoops> pool_loop_variants();

}  // namespace gradloom
