// torch.autocast's __enter__ and __exit__.
#include "core/autocast.h"

#include <ATen/autocast_mode.h>

#include "core/errors.h"

namespace gradloom {

namespace {

void set(const AutocastState& state) {
  at::autocast::set_autocast_enabled(state.device, state.enabled);
  at::autocast::set_autocast_dtype(state.device, state.type);
}

}  // namespace

AutocastState autocast_for(c10::DeviceType device, Precision precision) {
  if (precision == Precision::fp32) return {device, false, at::kFloat};
  if (!at::autocast::is_autocast_available(device))
    throw Error("NOT_SUPPORTED", "The device " + c10::DeviceTypeName(device, true) + " has no mixed precision.",
                "Use precision fp32.", "training.precision");
  return {device, true, precision == Precision::bf16 ? at::kBFloat16 : at::kHalf};
}

AutocastState autocast_now(c10::DeviceType device) {
  if (!at::autocast::is_autocast_available(device)) return {device, false, at::kFloat};
  return {device, at::autocast::is_autocast_enabled(device), at::autocast::get_autocast_dtype(device)};
}

void forget_casts() {
  at::autocast::clear_cache();
}

AutocastScope::AutocastScope(const AutocastState& state)
    : outside_(state.enabled ? autocast_now(state.device) : state),
      cache_outside_(at::autocast::is_autocast_cache_enabled()),
      active_(state.enabled) {
  if (!active_) return;
  set(state);
  at::autocast::set_autocast_cache_enabled(true);
  at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
  if (!active_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  set(outside_);
  at::autocast::set_autocast_cache_enabled(cache_outside_);
}

}  // namespace gradloom
