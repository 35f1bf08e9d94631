// The two kernels of torch.amp.GradScaler, and its arithmetic around them.
#include "core/session/loss_scaler.h"

#include <ATen/ATen.h>

namespace gradloom {

LossScaler::LossScaler(const LossScalePlan& plan, c10::Device device)
    : plan_(plan),
      scale_(at::full({}, plan.init_scale, at::TensorOptions(device).dtype(at::kFloat))),
      growth_tracker_(at::zeros({}, at::TensorOptions(device).dtype(at::kInt))),
      found_inf_(at::zeros({}, scale_.options())) {}

void LossScaler::unscale(at::TensorList gradients) {
  found_inf_.zero_();
  // In double where there is double, as torch has it.
  const at::Tensor inverse = scale_.is_mps() ? scale_.reciprocal() : scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf_, inverse);
}

void LossScaler::update() {
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf_, plan_.growth_factor, plan_.backoff_factor,
                         plan_.growth_interval);
}

}  // namespace gradloom
