// The machine's processor and memory, as people know them. Free of torch headers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gradloom {

std::string processor_name();

/// Whether the processor multiplies bfloat16 numbers by instructions of its own.
bool processor_has_bf16();

/// Bytes; absent where the system does not tell.
struct HostMemory {
  std::optional<int64_t> total;
  std::optional<int64_t> free;  // what new programs could use without swapping
};

HostMemory host_memory();

}  // namespace gradloom
