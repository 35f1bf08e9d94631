// Libraries loaded while running, which are never unloaded again. Free of torch headers.
#pragma once

#include <string>

namespace gradloom {

struct SharedLibrary {
  void* handle = nullptr;
  std::string error;  // why there is no handle

  /// Null when there is no such symbol.
  void* symbol(const char* name) const;
};

/// `visible` lets libraries loaded later find its symbols.
SharedLibrary load_library(const std::string& path, bool visible);

}  // namespace gradloom
