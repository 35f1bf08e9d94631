// Finds devices through the interfaces that CUDA, MPS, XPU and plug-in back ends share. What is CUDA's alone stands
// together below: loading its library when there is a driver, and asking the driver for a card's name and capability.
#include "core/devices.h"

#include "core/allocator.h"
#include "core/errors.h"
#include "core/host_info.h"
#include "core/shared_library.h"

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/DeviceType.h>
#include <c10/util/Exception.h>

#include <cstdlib>
#include <mutex>

namespace gradloom {

namespace {

// CUDA only.

#ifdef _WIN32
constexpr const char* nvidia_driver = "nvcuda.dll";
constexpr const char* cuda_library = "torch_cuda.dll";
#else
constexpr const char* nvidia_driver = "libcuda.so.1";
constexpr const char* cuda_library = "libtorch_cuda.so";
#endif

/// Why CUDA cannot be used although there is a driver; empty otherwise. Written once by prepare_process.
std::string& cuda_failure() {
  static auto* const failure = new std::string;
  return *failure;
}

void load_cuda() {
  if (load_library(nvidia_driver, false).handle == nullptr) return;
  // ATen asks for CUDA's hooks once and keeps the empty ones: the library must be there before the first question.
  const SharedLibrary library = load_library(cuda_library, true);
  if (library.handle == nullptr) cuda_failure() = library.error;
}

/// `label` and `capability` from the driver, whose functions need no CUDA header.
void describe_cuda(int ordinal, DeviceInfo& info) {
  const SharedLibrary driver = load_library(nvidia_driver, false);
  const auto get = reinterpret_cast<int (*)(int*, int)>(driver.symbol("cuDeviceGet"));
  const auto get_name = reinterpret_cast<int (*)(char*, int, int)>(driver.symbol("cuDeviceGetName"));
  const auto get_attribute = reinterpret_cast<int (*)(int*, int, int)>(driver.symbol("cuDeviceGetAttribute"));
  int device = 0;
  if (get == nullptr || get_name == nullptr || get_attribute == nullptr || get(&device, ordinal) != 0) return;
  char name[256] = "";
  if (get_name(name, sizeof name, device) == 0) info.label = name;
  constexpr int major_attribute = 75;
  constexpr int minor_attribute = 76;
  int major = 0;
  int minor = 0;
  if (get_attribute(&major, major_attribute, device) == 0 && get_attribute(&minor, minor_attribute, device) == 0) {
    info.capability = std::to_string(major) + "." + std::to_string(minor);
    // Tensor cores calculate fp16 since Volta and bf16 since Ampere.
    if (major >= 8) info.half.emplace_back("bf16");
    if (major >= 7) info.half.emplace_back("fp16");
  }
}

// Every back end.

void load_plugin(const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == setting.size()) {
    throw Error("BAD_CALL", "GRADLOOM_BACKEND is " + setting + ", which is not of the form name=/path/lib.so.",
                "Correct or unset it.");
  }
  const std::string name = setting.substr(0, equals);
  const std::string path = setting.substr(equals + 1);
  const SharedLibrary library = load_library(path, true);
  if (library.handle == nullptr) {
    throw Error("DEVICE_UNAVAILABLE", "The back end " + name + " could not be loaded: " + library.error + ".",
                "Correct or unset GRADLOOM_BACKEND.", path);
  }
  if (!c10::is_privateuse1_backend_registered()) c10::register_privateuse1_backend(name);
}

std::string device_name(c10::DeviceType type, int index) {
  const std::string name = c10::DeviceTypeName(type, /*lower_case=*/true);
  return type == c10::DeviceType::MPS ? name : name + ":" + std::to_string(index);
}

/// The accelerator's type when there is at least one device of it.
std::optional<c10::DeviceType> present_accelerator() {
  const auto type = at::accelerator::getAccelerator();
  return type && at::accelerator::deviceCount() > 0 ? type : std::nullopt;
}

c10::DeviceAllocator* device_allocator(c10::DeviceType type) {
  return dynamic_cast<c10::DeviceAllocator*>(c10::GetAllocator(type));
}

/// Free and total bytes; absent where the back end does not tell.
std::optional<std::pair<int64_t, int64_t>> device_memory(c10::Device device) {
  try {
    auto* const allocator = device_allocator(device.type());
    if (allocator == nullptr) return {};
    const auto [free, total] = allocator->getMemoryInfo(device.index());
    return std::pair(static_cast<int64_t>(free), static_cast<int64_t>(total));
  } catch (const c10::Error&) {
    return {};
  }
}

/// libtorch's warnings speak to programmers of networks, not to who runs one; they would land on standard error.
class IgnoreWarnings final : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

std::string names_of_all() {
  std::string names = "cpu";
  if (const auto type = present_accelerator()) {
    for (int index = 0; index < at::accelerator::deviceCount(); ++index) names += ", " + device_name(*type, index);
  }
  return names;
}

}  // namespace

void prepare_process() {
  // Never destroyed: a thread may still warn while the process's static objects go.
  static auto* const ignore_warnings = new IgnoreWarnings;
  c10::WarningUtils::set_warning_handler(ignore_warnings);  // of this thread
  static std::once_flag once;
  std::call_once(once, [] {
    install_cpu_allocator();
    if (const char* const limit = std::getenv("GRADLOOM_CPU_LIMIT")) set_cpu_budget(std::strtoull(limit, nullptr, 10));
    const char* const plugin = std::getenv("GRADLOOM_BACKEND");
    if (plugin != nullptr && *plugin != '\0') {
      load_plugin(plugin);
    } else {
      load_cuda();
    }
  });
}

c10::Device parse_device(const std::string& name) {
  prepare_process();
  std::optional<c10::Device> device;
  try {
    device = c10::Device(name);
  } catch (const c10::Error&) {
    throw Error("DEVICE_UNKNOWN", "There is no device called " + name + ".", "Use one of: " + names_of_all() + ".",
                "training.device");
  }
  if (device->is_cpu() && device->index() <= 0) return {c10::DeviceType::CPU};
  const auto accelerator = present_accelerator();
  const int index = std::max<int>(device->index(), 0);
  // An index too high may land silently on device 0 with some back ends.
  if (accelerator == device->type() && index < at::accelerator::deviceCount()) {
    return {device->type(), static_cast<c10::DeviceIndex>(index)};
  }
  const std::string why =
      device->is_cuda() && !cuda_failure().empty() ? " (its library could not be loaded: " + cuda_failure() + ")" : "";
  throw Error("DEVICE_UNAVAILABLE", "The device " + name + " is not available here" + why + ".",
              "Use one of: " + names_of_all() + "; gradloom doctor says what is missing for others.",
              "training.device");
}

std::vector<DeviceInfo> list_devices() {
  prepare_process();
  const HostMemory memory = host_memory();
  std::vector<DeviceInfo> devices{{"cpu", processor_name(), memory.total, memory.free, at::get_cpu_capability(), {}}};
  if (processor_has_bf16()) devices.front().half.emplace_back("bf16");
  const auto type = present_accelerator();
  if (!type) return devices;
  for (int index = 0; index < at::accelerator::deviceCount(); ++index) {
    DeviceInfo info;
    info.name = device_name(*type, index);
    info.label = info.name;
    if (const auto bytes = device_memory({*type, static_cast<c10::DeviceIndex>(index)})) {
      info.memory_free = bytes->first;
      info.memory_total = bytes->second;
    }
    if (*type == c10::DeviceType::CUDA) describe_cuda(index, info);
    if (*type == c10::DeviceType::XPU) info.half = {"bf16", "fp16"};
    if (*type == c10::DeviceType::MPS) info.half = {"fp16"};
    devices.push_back(info);
  }
  return devices;
}

MemoryReport memory_report(c10::Device device) {
  MemoryReport report;
  if (device.is_cpu()) {
    const AllocatorCounts counts = cpu_counts();
    const HostMemory memory = host_memory();
    return {counts.allocated, counts.reserved, counts.peak, memory.free, memory.total};
  }
  if (auto* const allocator = device_allocator(device.type()); allocator != nullptr && allocator->initialized()) {
    constexpr auto all = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    const auto stats = allocator->getDeviceStats(device.index());
    report.allocated = stats.allocated_bytes[all].current;
    report.reserved = stats.reserved_bytes[all].current;
    report.peak = stats.allocated_bytes[all].peak;
  }
  if (const auto bytes = device_memory(device)) {
    report.device_free = bytes->first;
    report.device_total = bytes->second;
  }
  return report;
}

void reset_peak(c10::Device device) {
  if (device.is_cpu()) {
    reset_cpu_peak();
  } else if (auto* const allocator = device_allocator(device.type());
             allocator != nullptr && allocator->initialized()) {
    allocator->resetPeakStats(device.index());
  }
}

void empty_cache(c10::Device device) {
  if (device.is_cpu()) {
    empty_cpu_cache();
  } else if (auto* const allocator = device_allocator(device.type());
             allocator != nullptr && allocator->initialized()) {
    allocator->emptyCache();
  }
}

}  // namespace gradloom
