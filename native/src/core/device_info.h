// What is told about devices and memory, free of torch headers so that the binding can include it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradloom {

struct DeviceInfo {
  std::string name;                     // `cpu`, `cuda:0`, `mps`, or a plug-in's name with index
  std::string label;                    // for people
  std::optional<int64_t> memory_total;  // bytes
  std::optional<int64_t> memory_free;   // bytes
  std::optional<std::string> capability;
  std::vector<std::string> half;  // of bf16 and fp16, those that it has instructions for
};

/// Bytes. The `device_` figures are absent where the back end does not tell.
struct MemoryReport {
  int64_t allocated = 0;
  int64_t reserved = 0;
  int64_t peak = 0;
  std::optional<int64_t> device_free;
  std::optional<int64_t> device_total;
};

/// Every device a plan may name, the CPU first. Loads CUDA or a plug-in back end if there is one.
std::vector<DeviceInfo> list_devices();

}  // namespace gradloom
