// flock and LockFileEx: the lock is tied to the open file, so it goes when the process does, however it ends.
#include "core/lock.h"

#include "core/errors.h"

#include <cerrno>
#include <utility>

#ifdef _WIN32
#include <windows.h>
#include <filesystem>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#endif

namespace gradloom {

namespace {

Error locked(const std::string& path) {
  return {"RUN_LOCKED", "Another process is using " + path + ".", "Wait for it to end, or stop it, then try again.",
          path};
}

}  // namespace

#ifdef _WIN32

FileLock::FileLock(const std::string& path) {
  const std::filesystem::path file(std::u8string(path.begin(), path.end()));
  const HANDLE handle = CreateFileW(file.c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                    nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) throw system_error(EACCES, "open " + path, path, "NOT_WRITABLE");
  OVERLAPPED whole{};
  if (!LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, MAXDWORD, MAXDWORD, &whole)) {
    CloseHandle(handle);
    throw locked(path);
  }
  handle_ = reinterpret_cast<intptr_t>(handle);
}

void FileLock::release() noexcept {
  const intptr_t handle = std::exchange(handle_, -1);
  if (handle != -1) CloseHandle(reinterpret_cast<HANDLE>(handle));
}

#else

FileLock::FileLock(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw system_error(errno, "open " + path, path, "NOT_WRITABLE");
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int failure = errno;
    close(descriptor);
    if (failure == EWOULDBLOCK) throw locked(path);
    throw system_error(failure, "lock " + path, path, "NOT_WRITABLE");
  }
  handle_ = descriptor;
}

void FileLock::release() noexcept {
  const auto descriptor = static_cast<int>(std::exchange(handle_, -1));
  if (descriptor != -1) close(descriptor);
}

#endif

FileLock::~FileLock() {
  release();
}

}  // namespace gradloom
