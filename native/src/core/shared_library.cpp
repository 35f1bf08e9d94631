// dlopen and LoadLibrary.
#include "core/shared_library.h"

#ifdef _WIN32
#include <windows.h>
#include <filesystem>
#include <system_error>
#else
#include <dlfcn.h>
#endif

namespace gradloom {

#ifdef _WIN32

SharedLibrary load_library(const std::string& path, bool) {
  const std::filesystem::path file(std::u8string(path.begin(), path.end()));
  const HMODULE module = LoadLibraryW(file.c_str());
  if (module != nullptr) return {module, {}};
  return {nullptr, std::system_category().message(static_cast<int>(GetLastError()))};
}

void* SharedLibrary::symbol(const char* name) const {
  return handle == nullptr ? nullptr : reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle), name));
}

#else

SharedLibrary load_library(const std::string& path, bool visible) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | (visible ? RTLD_GLOBAL : RTLD_LOCAL));
  if (handle != nullptr) return {handle, {}};
  const char* const error = dlerror();
  return {nullptr, error == nullptr ? "unknown error" : error};
}

void* SharedLibrary::symbol(const char* name) const {
  return handle == nullptr ? nullptr : dlsym(handle, name);
}

#endif

}  // namespace gradloom
