// Device names to c10 devices by the accelerator interfaces every back end answers; loading of CUDA and of plug-in back
// ends.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "core/device_info.h"

namespace gradloom {

/// Once for the process: installs the CPU allocator, bounded by GRADLOOM_CPU_LIMIT bytes if that is set, and loads the
/// plug-in named by GRADLOOM_BACKEND, or libtorch_cuda when there is an NVIDIA driver. Silences libtorch's warnings on
/// the calling thread. Must run before the first tensor, the first question about accelerators and the first
/// backward().
void prepare_process();

/// Throws DEVICE_UNKNOWN for a name no back end answers to, DEVICE_UNAVAILABLE for a device that is not there, saying
/// what is.
c10::Device parse_device(const std::string& name);

MemoryReport memory_report(c10::Device device);

void reset_peak(c10::Device device);

/// Gives cached memory back to the system or device.
void empty_cache(c10::Device device);

}  // namespace gradloom
