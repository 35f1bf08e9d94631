// How many threads arithmetic should use by default. Free of torch headers.
#pragma once

#include <cstdint>

namespace gradloom {

/// Physical cores this process may use: hyper-threads count once, CPU affinity and a container's quota are respected.
/// At least 1.
int64_t physical_cores();

}  // namespace gradloom
