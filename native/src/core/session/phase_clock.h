// Wall seconds by phase, and bytes where asked for: the host's clock on the CPU, events on the device's own timeline elsewhere.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <chrono>
#include <optional>
#include <vector>

#include "core/session_types.h"

namespace gradloom {

class PhaseClock {
 public:
  using Phase = double ByPhase::*;

  PhaseClock(c10::Device device, bool peaks);

  /// What passed since the last mark belongs to `phase`.
  void mark(Phase phase);

  /// The same for fetching a batch: `wait_seconds` of it to data, the rest to copy.
  void mark_batch(double wait_seconds);

  /// What passed since the last mark belongs to no phase.
  void skip() { mark(nullptr); }

  /// Call after the device has been waited for.
  PhaseSeconds finish();

  /// None unless they were to be measured.
  const std::optional<PhasePeaks>& peaks() const { return peaks_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Interval {
    c10::Event end;
    Phase phase;
    double wait_seconds;
  };

  void add(Phase phase, double wait_seconds);
  void attribute(Phase phase, double wait_seconds, double seconds);
  c10::Event record() const;

  c10::Device device_;
  Clock::time_point start_;
  Clock::time_point last_;
  PhaseSeconds seconds_;
  std::optional<PhasePeaks> peaks_;
  std::vector<Interval> intervals_;  // on a device: resolved in `finish`
};

}  // namespace gradloom
