// Guards over libtorch's process-wide state.
#include "core/session/scopes.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <mutex>

#include "core/errors.h"
#include "core/generator_state.h"
#include "core/threads.h"

namespace gradloom {

SettingsScope::SettingsScope(const Plan& plan)
    : threads_(at::get_num_threads()),
      deterministic_(at::globalContext().deterministicAlgorithms()),
      warn_only_(at::globalContext().deterministicAlgorithmsWarnOnly()),
      tf32_cudnn_(at::globalContext().allowTF32CuDNN()),
      tf32_cublas_(at::globalContext().allowTF32CuBLAS()) {
  const int threads = static_cast<int>(plan.threads.value_or(physical_cores()));
  if (threads != threads_) at::set_num_threads(threads);
  at::globalContext().setDeterministicAlgorithms(plan.deterministic, false);
  at::globalContext().setAllowTF32CuDNN(plan.tf32);
  at::globalContext().setAllowTF32CuBLAS(plan.tf32);
}

SettingsScope::~SettingsScope() {
  if (at::get_num_threads() != threads_) at::set_num_threads(threads_);
  at::globalContext().setDeterministicAlgorithms(deterministic_, warn_only_);
  at::globalContext().setAllowTF32CuDNN(tf32_cudnn_);
  at::globalContext().setAllowTF32CuBLAS(tf32_cublas_);
}

Generators::Generators(c10::Device device, uint64_t seed) {
  std::vector<c10::Device> devices = {c10::Device(at::kCPU)};
  if (!device.is_cpu()) devices.push_back(device);
  for (const c10::Device each : devices) {
    at::Generator generator = at::globalContext().defaultGenerator(each);
    const at::Tensor outside = generator_state(generator);
    {
      const std::lock_guard<std::mutex> lock(generator.mutex());
      generator.set_current_seed(seed);
    }
    entries_.push_back({c10::DeviceTypeName(each.type(), /*lower_case=*/true), generator, generator_state(generator)});
    set_generator_state(generator, outside);
  }
}

Generators::Scope::Scope(Generators& generators) : generators_(generators) {
  for (const Entry& entry : generators_.entries_) {
    outside_.push_back(generator_state(entry.generator));
    set_generator_state(entry.generator, entry.state);
  }
}

Generators::Scope::~Scope() {
  for (size_t i = 0; i < outside_.size(); ++i) {
    Entry& entry = generators_.entries_[i];
    entry.state = generator_state(entry.generator);
    set_generator_state(entry.generator, outside_[i]);
  }
}

at::Tensor Generators::device_state() const {
  return generator_state(entries_.back().generator);
}

void Generators::set_device_state(const at::Tensor& state) {
  set_generator_state(entries_.back().generator, state);
}

std::vector<std::pair<std::string, at::Tensor>> Generators::states() const {
  std::vector<std::pair<std::string, at::Tensor>> result;
  for (const Entry& entry : entries_) result.emplace_back(entry.name, entry.state);
  return result;
}

void Generators::load(const std::vector<std::pair<std::string, at::Tensor>>& states) {
  for (Entry& entry : entries_) {
    const auto found = std::find_if(states.begin(), states.end(), [&](const auto& state) { return state.first == entry.name; });
    if (found == states.end()) {
      // A run that moves to another device has no state for it there, and begins with the seed's.
      if (!entry.generator.device().is_cpu()) continue;
      throw Error("CHECKPOINT_DAMAGED", "The checkpoint has no state of the CPU's random generator.",
                  "Resume from an earlier checkpoint.", "rng.safetensors");
    }
    // Setting it once proves that it is a state of this generator before anything relies on it.
    const at::Tensor outside = generator_state(entry.generator);
    set_generator_state(entry.generator, found->second);
    set_generator_state(entry.generator, outside);
    entry.state = found->second;
  }
}

}  // namespace gradloom
