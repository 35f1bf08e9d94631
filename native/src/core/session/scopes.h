// What is global to the process in libtorch, set for the time of one call: threads, determinism, precision, random
// numbers.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/TensorBody.h>
#include <c10/core/Device.h>

#include <string>
#include <utility>
#include <vector>

#include "core/plan.h"

namespace gradloom {

/// While it lives: the plan's number of threads, its determinism, and IEEE fp32 unless it allows TF32.
class SettingsScope {
 public:
  explicit SettingsScope(const Plan& plan);
  ~SettingsScope();
  SettingsScope(const SettingsScope&) = delete;
  SettingsScope& operator=(const SettingsScope&) = delete;

 private:
  int threads_;
  bool deterministic_;
  bool warn_only_;
  bool tf32_cudnn_;
  bool tf32_cublas_;
};

/// A session's own place in the random numbers of the CPU and of its device.
class Generators {
 public:
  Generators(c10::Device device, uint64_t seed);

  /// While it lives the process's default generators continue the session's numbers; afterwards they stand where they
  /// stood.
  class Scope {
   public:
    explicit Scope(Generators& generators);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Generators& generators_;
    std::vector<at::Tensor> outside_;
  };

  /// State of the generator that layers on the device draw from. Only within a Scope.
  at::Tensor device_state() const;
  void set_device_state(const at::Tensor& state);

  /// States by name for rng.safetensors: `cpu`, and the device's type.
  std::vector<std::pair<std::string, at::Tensor>> states() const;

  /// States that the file lacks (another device's) stay as they are.
  void load(const std::vector<std::pair<std::string, at::Tensor>>& states);

 private:
  struct Entry {
    std::string name;
    at::Generator generator;  // the process's default one
    at::Tensor state;         // the session's, outside a Scope
  };
  std::vector<Entry> entries_;  // the CPU first, the device last
};

}  // namespace gradloom
