// Drives a loader as a session would and keeps everything it hands out.
#include "core/batches.h"

#include "core/devices.h"
#include "core/loader.h"
#include "core/state.h"

#include <chrono>

namespace gradloom {

void write_batches(const Plan& plan, int64_t epochs, bool on_device, const std::string& path) {
  Loader loader(plan, parse_device(plan.device), on_device ? LoaderPath::device : LoaderPath::host);
  NamedTensors tensors;
  const auto keep = [&](const std::string& name, const Batch& batch) {
    tensors.emplace_back(name + ".input", batch.input);
    tensors.emplace_back(name + ".target", batch.target);
  };
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    for (int64_t index = 0; index < loader.batches_per_epoch(); ++index) {
      keep(std::to_string(epoch) + "." + std::to_string(index), loader.train_batch(epoch, index));
    }
  }
  for (const auto& [name, split] : plan.splits) {
    for (int64_t start = 0; start < split.count; start += plan.loader.batch_size) {
      keep(name + "." + std::to_string(start / plan.loader.batch_size),
           loader.split_batch(name, start, plan.loader.batch_size));
    }
  }
  write_safetensors(path, tensors, {});
}

std::vector<Pulled> pull_batches(const Plan& plan, int64_t epochs) {
  Loader loader(plan, parse_device(plan.device));
  std::vector<Pulled> pulled;
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    Pulled& result = pulled.emplace_back();
    for (int64_t index = 0; index < loader.batches_per_epoch(); ++index)
      result.samples += loader.train_batch(epoch, index).samples;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return pulled;
}

}  // namespace gradloom
