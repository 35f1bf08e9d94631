// Files as the engine needs them: durable writing, bounded reading, read-only mapping; every failure an Error with its
// path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace gradloom {

bool file_exists(const std::string& path);

/// Written from start to end; removed again unless `finish` succeeded.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, size_t bytes);

  /// Brings everything to the disk and closes.
  void finish();

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
};

/// Read by position, never past the end.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  uint64_t size() const { return size_; }

  /// False when the file ends before `offset + bytes`.
  bool read(uint64_t offset, void* data, size_t bytes);

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
  uint64_t size_ = 0;
};

/// Read by position from any thread, without a place in the process's memory: for what is larger than it.
class SharedFile {
 public:
  /// `missing` is the code when the file is not there.
  SharedFile(const std::string& path, const std::string& missing);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }

  /// Throws DATA_TRUNCATED when the file ends before `offset + bytes`, NOT_READABLE when the disk fails.
  void read(uint64_t offset, void* data, size_t bytes) const;

  /// These bytes are read soon: the system may fetch them meanwhile. Returns at once.
  void announce(uint64_t offset, uint64_t bytes) const;

 private:
  std::string path_;
#ifdef _WIN32
  void* handle_ = nullptr;
#else
  int descriptor_ = -1;
#endif
  uint64_t size_ = 0;
};

/// A whole file in memory, read-only, paged in by the system.
class MappedFile {
 public:
  /// `missing` is the code when the file is not there.
  MappedFile(const std::string& path, const std::string& missing);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const std::byte* data_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace gradloom
