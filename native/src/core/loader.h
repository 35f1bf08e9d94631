// Batches from mmap'd data packs: order by seed, gathered ahead by own threads, normalised exactly as torchvision does.
#pragma once

#include <ATen/core/TensorBody.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/plan.h"

namespace gradloom {

struct Batch {
  at::Tensor input;   // float32 [n, …] on the device, transforms applied
  at::Tensor target;  // int64 [n] or float32 [n, …] on the device
  at::Tensor label;   // what metrics compare with: the target, unless it was mixed
  int64_t samples = 0;
  double wait_seconds = 0;  // the caller's wait for the gather
  double copy_seconds = 0;  // the caller's time in copies to the device and in its transforms
};

enum class LoaderPath {
  automatic,  // `host` on the CPU, `device` elsewhere
  host,       // look-up table inside the gather
  device,     // raw samples copied to the device, transformed there; works on the CPU too, for tests
};

class Loader {
 public:
  /// Opens and checks every file of the plan: DATA_MISSING, DATA_TRUNCATED, DATA_FORMAT.
  Loader(const Plan& plan, c10::Device device, LoaderPath path = LoaderPath::automatic);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Batches of the training split in one epoch, the short last one included unless drop_last.
  int64_t batches_per_epoch() const;

  /// Batch `index` of `epoch` (both from 0) of the training split. Any order of calls is right; the next in order is
  /// gathered ahead, over the epoch's end too.
  Batch train_batch(int64_t epoch, int64_t index);

  /// Samples [start, start + count) of a split in its stored order, cut at its end.
  Batch split_batch(const std::string& split, int64_t start, int64_t count);

  /// Samples of a split.
  int64_t split_count(const std::string& split) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gradloom
