// The CPU allocator behind every tensor: exact counts over all threads, and freed blocks kept for reuse.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gradloom {

/// Bytes over all threads. `allocated` is what tensors asked for, `reserved` what the system gave (in use or kept for
/// reuse).
struct AllocatorCounts {
  int64_t allocated;
  int64_t reserved;
  int64_t peak;  // greatest `allocated` since the last reset
};

/// Makes this allocator the CPU's, once for the process, before any tensor exists.
void install_cpu_allocator();

AllocatorCounts cpu_counts();
void reset_cpu_peak();

/// Gives every kept block back to the system.
void empty_cpu_cache();

/// An allocation of 64 KiB or more that would raise `allocated` above `bytes` throws c10::OutOfMemoryError; 0 means no
/// limit.
void set_cpu_budget(size_t bytes);

}  // namespace gradloom
