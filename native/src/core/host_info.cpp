// Asks each system in its own way.
#include "core/host_info.h"

#include <cstdlib>
#include <fstream>

#if defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(_WIN32)
#include <windows.h>
#if defined(_M_X64)
#include <intrin.h>
#endif
#endif

namespace gradloom {

namespace {

#if defined(__linux__)
/// The rest of the line that begins with `key`, after its colon.
std::optional<std::string> line_of(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const auto colon = line.find(':');
    const auto start = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    if (start != std::string::npos) return line.substr(start);
  }
  return {};
}

std::optional<int64_t> meminfo(const std::string& key) {
  const auto line = line_of("/proc/meminfo", key + ":");
  if (!line) return {};
  return std::strtoll(line->c_str(), nullptr, 10) * 1024;
}
#endif

}  // namespace

std::string processor_name() {
#if defined(__linux__)
  if (const auto name = line_of("/proc/cpuinfo", "model name")) return *name;
#elif defined(__APPLE__)
  char name[256];
  size_t size = sizeof name;
  if (sysctlbyname("machdep.cpu.brand_string", name, &size, nullptr, 0) == 0) return name;
#elif defined(_WIN32)
  if (const char* const name = std::getenv("PROCESSOR_IDENTIFIER")) return name;
#endif
  return "CPU";
}

bool processor_has_bf16() {
#if defined(__linux__)
  const auto x86 = line_of("/proc/cpuinfo", "flags");
  const auto arm = line_of("/proc/cpuinfo", "Features");
  const std::string words = " " + x86.value_or("") + arm.value_or("") + " ";
  for (const char* const word : {" avx512_bf16 ", " amx_bf16 ", " bf16 "}) {
    if (words.find(word) != std::string::npos) return true;
  }
  return false;
#elif defined(__APPLE__)
  int present = 0;
  size_t size = sizeof present;
  return sysctlbyname("hw.optional.arm.FEAT_BF16", &present, &size, nullptr, 0) == 0 && present != 0;
#elif defined(_M_X64)
  int registers[4];
  __cpuidex(registers, 7, 1);
  const bool avx512 = (registers[0] & (1 << 5)) != 0;
  __cpuidex(registers, 7, 0);
  return avx512 || (registers[3] & (1 << 22)) != 0;
#else
  return false;
#endif
}

HostMemory host_memory() {
#if defined(__linux__)
  return {meminfo("MemTotal"), meminfo("MemAvailable")};
#elif defined(__APPLE__)
  int64_t total = 0;
  size_t size = sizeof total;
  if (sysctlbyname("hw.memsize", &total, &size, nullptr, 0) == 0) return {total, {}};
  return {};
#elif defined(_WIN32)
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (!GlobalMemoryStatusEx(&status)) return {};
  return {static_cast<int64_t>(status.ullTotalPhys), static_cast<int64_t>(status.ullAvailPhys)};
#else
  return {};
#endif
}

}  // namespace gradloom
