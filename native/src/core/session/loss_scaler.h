// Loss scaling for fp16, exactly as torch.amp.GradScaler does it.
#pragma once

#include <ATen/core/TensorBody.h>
#include <c10/core/Device.h>

#include "core/plan.h"
#include "core/state.h"

namespace gradloom {

class LossScaler {
 public:
  LossScaler(const LossScalePlan& plan, c10::Device device);

  /// The loss to differentiate.
  at::Tensor scaled(const at::Tensor& loss) const { return loss * scale_; }

  /// Divides the gradients by the scale and notes whether one is not finite.
  void unscale(at::TensorList gradients);

  /// What the loss was multiplied by, and whether a gradient overflowed (0 or 1): scalars on the device.
  at::Tensor scale() const { return scale_.clone(); }
  at::Tensor overflowed() const { return found_inf_.clone(); }

  /// Once a step, after `unscale`: backs off, or grows after enough steps without an overflow.
  void update();

  /// Whether so small a scale helps nothing any more: what fp16 can hold at all would survive without it.
  static bool lost(double scale) { return scale < 0x1p-24; }

  /// Handles of `scale` and `growth_tracker` for scaler.safetensors.
  NamedTensors state() const { return {{"scale", scale_}, {"growth_tracker", growth_tracker_}}; }

 private:
  LossScalePlan plan_;
  at::Tensor scale_;           // float32
  at::Tensor growth_tracker_;  // int32: steps without an overflow since the last change
  at::Tensor found_inf_;       // float32: 0 or 1
};

}  // namespace gradloom
