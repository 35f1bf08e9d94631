// What the loader delivers, written to a file, for people and tests that want to see what a network sees. Free of torch
// headers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan.h"

namespace gradloom {

/// Batches of the first epochs as `<epoch>.<batch>.input` and `.target`, then those of every split in its stored order
/// as
/// `<split>.<batch>.input` and `.target`. With `on_device` samples are transformed by the device's operations even if
/// that is the CPU.
void write_batches(const Plan& plan, int64_t epochs, bool on_device, const std::string& path);

struct Pulled {
  int64_t samples = 0;
  double seconds = 0;
};

/// Takes the batches of the first epochs one after the other and does nothing with them: how fast the loader is alone.
std::vector<Pulled> pull_batches(const Plan& plan, int64_t epochs);

}  // namespace gradloom
