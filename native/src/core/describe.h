// What the native tables hold, for comparison with the TypeScript tables when the addon is loaded. Free of torch
// headers.
#pragma once

#include <nlohmann/json.hpp>

namespace gradloom {

/// A NativeDescription (engine/contract/native.ts).
nlohmann::json describe();

}  // namespace gradloom
