// The two systems' ways to write durably, to read by position and to map a file.
#include "core/files.h"

#include "core/errors.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#ifdef _WIN32
#include <io.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace gradloom {

namespace {

std::filesystem::path native_path(const std::string& utf8) {
  return std::filesystem::path(std::u8string(utf8.begin(), utf8.end()));
}

/// `mode` is "wb" or "rb"; the handle is not inherited by child processes.
std::FILE* open_file(const std::string& path, const char* mode) {
#ifdef _WIN32
  return _wfopen(native_path(path).c_str(), mode[0] == 'w' ? L"wbN" : L"rbN");
#else
  const int descriptor =
      open(path.c_str(), (mode[0] == 'w' ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY) | O_CLOEXEC, 0666);
  return descriptor < 0 ? nullptr : fdopen(descriptor, mode);
#endif
}

bool flush_to_disk(std::FILE* file) {
  if (std::fflush(file) != 0) return false;
#ifdef _WIN32
  return _commit(_fileno(file)) == 0;
#elif defined(__APPLE__)
  // fsync leaves data in the drive's own cache there.
  return fcntl(fileno(file), F_FULLFSYNC) == 0 || fsync(fileno(file)) == 0;
#else
  return fsync(fileno(file)) == 0;
#endif
}

bool seek(std::FILE* file, uint64_t offset) {
#ifdef _WIN32
  return _fseeki64(file, static_cast<int64_t>(offset), SEEK_SET) == 0;
#else
  return fseeko(file, static_cast<off_t>(offset), SEEK_SET) == 0;
#endif
}

uint64_t file_size(const std::string& path) {
  std::error_code error;
  const auto file = native_path(path);
  if (std::filesystem::is_directory(file, error)) {
    throw Error("NOT_READABLE", "Could not read " + path + ": it is a folder.", "Give the path of a file.", path);
  }
  const uint64_t size = std::filesystem::file_size(file, error);
  if (error) throw system_error(error.value(), "read " + path, path, "NOT_READABLE");
  return size;
}

}  // namespace

bool file_exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(native_path(path), ignored);
}

OutputFile::OutputFile(const std::string& path) : path_(path), file_(open_file(path, "wb")) {
  if (file_ == nullptr) throw system_error(errno, "create " + path, path, "NOT_WRITABLE");
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(native_path(path_), ignored);
}

void OutputFile::write(const void* data, size_t bytes) {
  if (bytes > 0 && std::fwrite(data, 1, bytes, file_) != bytes)
    throw system_error(errno, "write " + path_, path_, "NOT_WRITABLE");
}

void OutputFile::finish() {
  if (!flush_to_disk(file_)) throw system_error(errno, "write " + path_, path_, "NOT_WRITABLE");
  std::FILE* const file = std::exchange(file_, nullptr);
  if (std::fclose(file) != 0) throw system_error(errno, "close " + path_, path_, "NOT_WRITABLE");
}

InputFile::InputFile(const std::string& path) : path_(path), file_(open_file(path, "rb")) {
  if (file_ == nullptr) {
    throw system_error(errno, "read " + path, path,
                       errno == ENOENT || errno == ENOTDIR ? "FILE_NOT_FOUND" : "NOT_READABLE");
  }
  try {
    size_ = file_size(path);
  } catch (...) {
    std::fclose(file_);
    throw;
  }
}

InputFile::~InputFile() {
  std::fclose(file_);
}

bool InputFile::read(uint64_t offset, void* data, size_t bytes) {
  if (bytes == 0) return true;
  if (!seek(file_, offset)) throw system_error(errno, "read " + path_, path_, "NOT_READABLE");
  if (std::fread(data, 1, bytes, file_) == bytes) return true;
  if (std::ferror(file_) != 0) throw system_error(errno, "read " + path_, path_, "NOT_READABLE");
  return false;
}

namespace {

[[noreturn]] void cut_short(const std::string& path) {
  throw Error("DATA_TRUNCATED", path + " ends before its last samples: it was cut short while it was read.",
              "Import the data again.", path);
}

}  // namespace

#ifdef _WIN32

SharedFile::SharedFile(const std::string& path, const std::string& missing) : path_(path) {
  handle_ = CreateFileW(native_path(path).c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING,
                        FILE_FLAG_RANDOM_ACCESS, nullptr);
  if (handle_ == INVALID_HANDLE_VALUE) throw system_error(ENOENT, "read " + path, path, missing);
  LARGE_INTEGER size;
  GetFileSizeEx(handle_, &size);
  size_ = static_cast<uint64_t>(size.QuadPart);
}

SharedFile::~SharedFile() {
  CloseHandle(handle_);
}

void SharedFile::read(uint64_t offset, void* data, size_t bytes) const {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    OVERLAPPED at{};
    at.Offset = static_cast<DWORD>(offset);
    at.OffsetHigh = static_cast<DWORD>(offset >> 32);
    DWORD done = 0;
    const DWORD wanted = static_cast<DWORD>(std::min<size_t>(bytes, size_t{1} << 30));
    if (!ReadFile(handle_, to, wanted, &done, &at) && GetLastError() != ERROR_HANDLE_EOF)
      throw system_error(EIO, "read " + path_, path_, "NOT_READABLE");
    if (done == 0) cut_short(path_);
    to += done;
    offset += done;
    bytes -= done;
  }
}

void SharedFile::announce(uint64_t, uint64_t) const {}

MappedFile::MappedFile(const std::string& path, const std::string& missing) : path_(path) {
  const HANDLE file = CreateFileW(native_path(path).c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING,
                                  FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) throw system_error(ENOENT, "read " + path, path, missing);
  LARGE_INTEGER size;
  GetFileSizeEx(file, &size);
  size_ = static_cast<uint64_t>(size.QuadPart);
  if (size_ > 0) {
    const HANDLE mapping = CreateFileMappingW(file, nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (mapping != nullptr) {
      data_ = static_cast<const std::byte*>(MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0));
      CloseHandle(mapping);
    }
  }
  CloseHandle(file);
  if (size_ > 0 && data_ == nullptr) throw system_error(EIO, "map " + path, path, "NOT_READABLE");
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) UnmapViewOfFile(data_);
}

#else

SharedFile::SharedFile(const std::string& path, const std::string& missing)
    : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    const bool absent = errno == ENOENT || errno == ENOTDIR;
    throw system_error(errno, "read " + path, path, absent ? missing : "NOT_READABLE");
  }
  struct stat status{};
  const int failure = fstat(descriptor_, &status) != 0 ? errno : S_ISREG(status.st_mode) ? 0 : EISDIR;
  if (failure != 0) {
    close(descriptor_);
    throw system_error(failure, "read " + path, path, "NOT_READABLE");
  }
  size_ = static_cast<uint64_t>(status.st_size);
#ifdef POSIX_FADV_RANDOM
  // What is wanted is announced; what lies around it would only be read in vain.
  posix_fadvise(descriptor_, 0, 0, POSIX_FADV_RANDOM);
#endif
}

SharedFile::~SharedFile() {
  close(descriptor_);
}

void SharedFile::read(uint64_t offset, void* data, size_t bytes) const {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = pread(descriptor_, to, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw system_error(errno, "read " + path_, path_, "NOT_READABLE");
    if (done == 0) cut_short(path_);
    to += done;
    offset += static_cast<uint64_t>(done);
    bytes -= static_cast<size_t>(done);
  }
}

void SharedFile::announce(uint64_t offset, uint64_t bytes) const {
#ifdef POSIX_FADV_WILLNEED
  posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
#elif defined(__APPLE__)
  radvisory range{static_cast<off_t>(offset), static_cast<int>(std::min<uint64_t>(bytes, INT32_MAX))};
  fcntl(descriptor_, F_RDADVISE, &range);
#endif
}

MappedFile::MappedFile(const std::string& path, const std::string& missing) : path_(path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const bool absent = errno == ENOENT || errno == ENOTDIR;
    throw system_error(errno, "read " + path, path, absent ? missing : "NOT_READABLE");
  }
  struct stat status{};
  void* mapped = MAP_FAILED;
  int failure = 0;
  if (fstat(descriptor, &status) != 0) {
    failure = errno;
  } else if (!S_ISREG(status.st_mode)) {
    failure = EISDIR;
  } else {
    size_ = static_cast<uint64_t>(status.st_size);
    if (size_ > 0) {
      mapped = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
      if (mapped == MAP_FAILED) failure = errno;
    }
  }
  close(descriptor);
  if (failure != 0) throw system_error(failure, "map " + path, path, "NOT_READABLE");
  if (size_ > 0) data_ = static_cast<const std::byte*>(mapped);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
}

#endif

}  // namespace gradloom
