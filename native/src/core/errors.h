// The one exception type of the native side: what happened, what to do next, and where, with a code of
// engine/contract/errors.ts.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace gradloom {

class Error : public std::runtime_error {
 public:
  /// `message` is one sentence without advice; `hint` says what to do next; `path` is a file or a place in the project.
  Error(std::string code, const std::string& message, std::string hint = {}, std::string path = {});

  std::string code;
  std::string hint;
  std::string path;
};

/// Any thrown value as an Error: c10::OutOfMemoryError and std::bad_alloc become OUT_OF_MEMORY, everything unforeseen
/// INTERNAL.
Error to_error(std::exception_ptr thrown);

/// An Error for a failed system call: `code` unless the cause has its own (DISK_FULL, NOT_WRITABLE, NOT_READABLE,
/// FILE_NOT_FOUND). `doing` continues "Could not …".
Error system_error(int error_number, const std::string& doing, const std::string& path,
                   const std::string& code = "INTERNAL");

}  // namespace gradloom
