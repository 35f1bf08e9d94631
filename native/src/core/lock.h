// An exclusive lock on a file, held by the operating system until released or until the process ends.
#pragma once

#include <cstdint>
#include <string>

namespace gradloom {

class FileLock {
 public:
  /// Creates the file when absent. Throws RUN_LOCKED when another process (or another FileLock) holds it.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Idempotent.
  void release() noexcept;

 private:
  intptr_t handle_ = -1;
};

}  // namespace gradloom
