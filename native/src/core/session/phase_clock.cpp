// On a device the host only queues work, so its clock would charge everything to the one read at the chunk's end.
#include "core/session/phase_clock.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

#include "core/devices.h"

namespace gradloom {

PhaseClock::PhaseClock(c10::Device device, bool peaks) : device_(device), start_(Clock::now()), last_(start_) {
  if (peaks) peaks_.emplace();
  if (!device_.is_cpu()) intervals_.push_back({record(), nullptr, 0});
}

c10::Event PhaseClock::record() const {
  c10::Event event(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  event.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  return event;
}

void PhaseClock::mark(Phase phase) {
  add(phase, 0);
}

void PhaseClock::mark_batch(double wait_seconds) {
  add(&PhaseSeconds::copy, wait_seconds);
}

void PhaseClock::add(Phase phase, double wait_seconds) {
  if (peaks_) {
    // Memory is taken when work is queued, on the host's time.
    const MemoryReport report = memory_report(device_);
    if (phase != nullptr) (*peaks_).*phase = std::max((*peaks_).*phase, static_cast<double>(report.peak));
    if (phase == &PhaseSeconds::forward) peaks_->held = static_cast<double>(report.allocated);
    reset_peak(device_);
  }
  if (!device_.is_cpu()) {
    intervals_.push_back({record(), phase, wait_seconds});
    return;
  }
  const Clock::time_point now = Clock::now();
  attribute(phase, wait_seconds, std::chrono::duration<double>(now - last_).count());
  last_ = now;
}

void PhaseClock::attribute(Phase phase, double wait_seconds, double seconds) {
  if (phase == nullptr) return;
  const double data = std::min(wait_seconds, seconds);
  seconds_.data += data;
  seconds_.*phase += seconds - data;
}

PhaseSeconds PhaseClock::finish() {
  for (size_t i = 1; i < intervals_.size(); ++i) {
    attribute(intervals_[i].phase, intervals_[i].wait_seconds,
              intervals_[i - 1].end.elapsedTime(intervals_[i].end) / 1000);
  }
  const double known = seconds_.data + seconds_.copy + seconds_.forward + seconds_.backward + seconds_.optimizer;
  seconds_.total = std::max(known, std::chrono::duration<double>(Clock::now() - start_).count());
  seconds_.other = seconds_.total - known;
  return seconds_;
}

}  // namespace gradloom
