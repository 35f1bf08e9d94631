// Autocast as torch.autocast has it: while a scope lives, ATen casts each operation's tensors to the number format that
// suits it.
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include "core/plan.h"

namespace gradloom {

struct AutocastState {
  c10::DeviceType device;
  bool enabled;
  at::ScalarType type;
};

/// Off for fp32. Throws NOT_SUPPORTED where the back end has no autocast.
AutocastState autocast_for(c10::DeviceType device, Precision precision);

/// What is set in this thread now: it is each thread's own, and a backward pass may run in another.
AutocastState autocast_now(c10::DeviceType device);

/// Casts of parameters are remembered within it, and forgotten at its end.
class AutocastScope {
 public:
  explicit AutocastScope(const AutocastState& state);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  AutocastState outside_;
  bool cache_outside_;
  bool active_;
};

/// Forgets the casts of parameters that this thread's scope remembers.
void forget_casts();

}  // namespace gradloom
