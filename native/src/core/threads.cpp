// Counts cores on Linux from /sys; elsewhere takes the standard library's word.
#include "core/threads.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace gradloom {

namespace {

int64_t usable_cores() {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    std::set<std::string> cores;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &allowed)) continue;
      std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
      std::string siblings;
      if (!(file >> siblings)) siblings = "cpu" + std::to_string(cpu);
      cores.insert(siblings);
    }
    if (!cores.empty()) return static_cast<int64_t>(cores.size());
  }
#endif
  return std::max<int64_t>(1, std::thread::hardware_concurrency());
}

/// A control group's limit in whole cores, rounded up; the greatest number where there is none.
int64_t quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double limit = 0;
  double period = 0;
  if (!(file >> limit >> period) || period <= 0 || limit <= 0) return INT64_MAX;
  return static_cast<int64_t>(std::ceil(limit / period));
}

}  // namespace

int64_t physical_cores() {
  static const int64_t cores = std::max<int64_t>(1, std::min(usable_cores(), quota()));
  return cores;
}

}  // namespace gradloom
