// Turns what libtorch, the standard library and the operating system throw or return into errors with codes.
#include "core/errors.h"

#include <c10/util/Exception.h>

#include <cerrno>
#include <new>
#include <optional>
#include <system_error>

namespace gradloom {

namespace {

/// The first line of a libtorch message: the rest is its C++ stack or its advice for Python programmers.
std::string first_line(std::string text) {
  const auto end = text.find('\n');
  if (end != std::string::npos) text.resize(end);
  // Back ends may hand over bytes that are no text.
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

Error out_of_memory(const std::string& message) {
  return {
      "OUT_OF_MEMORY", message,
      "Use a smaller batch_size, a smaller network, or a device with more memory; close other programs that use it."};
}

/// An operation that `training.deterministic` forbids: libtorch names it, and advises Python programmers.
std::optional<Error> not_deterministic(const std::string& message) {
  const std::string hint =
      "Set training.deterministic to false, or use a layer or loss that does without it, or the CPU.";
  const auto lacks = message.find(" does not have a deterministic implementation");
  if (lacks != std::string::npos) {
    return Error("NOT_SUPPORTED", message.substr(0, lacks) + " cannot be done deterministically on this device.", hint,
                 "training.deterministic");
  }
  if (message.find("CUBLAS_WORKSPACE_CONFIG") != std::string::npos) {
    return Error("NOT_SUPPORTED", "cuBLAS is deterministic only with a workspace of a fixed size.",
                 "Set CUBLAS_WORKSPACE_CONFIG=:4096:8 in the environment.", "training.deterministic");
  }
  return {};
}

}  // namespace

Error::Error(std::string code, const std::string& message, std::string hint, std::string path)
    : std::runtime_error(message), code(std::move(code)), hint(std::move(hint)), path(std::move(path)) {}

Error to_error(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const Error& error) {
    return error;
  } catch (const c10::OutOfMemoryError& error) {
    return out_of_memory(first_line(error.what_without_backtrace()));
  } catch (const c10::Error& error) {
    const std::string message = error.what_without_backtrace();
    if (auto refused = not_deterministic(message)) return *refused;
    return {"INTERNAL", first_line(message)};
  } catch (const std::bad_alloc&) {
    return out_of_memory("The system has no memory left.");
  } catch (const std::system_error& error) {
    return {"INTERNAL", first_line(error.what())};
  } catch (const std::exception& error) {
    return {"INTERNAL", first_line(error.what())};
  } catch (...) {
    return {"INTERNAL", "Something that is no exception was thrown."};
  }
}

Error system_error(int error_number, const std::string& doing, const std::string& path, const std::string& code) {
  const std::string message =
      "Could not " + doing + ": " + std::error_code(error_number, std::generic_category()).message() + ".";
  switch (error_number) {
    case ENOSPC:
#ifdef EDQUOT
    case EDQUOT:
#endif
      return {"DISK_FULL", message, "Free some space on that disk, then go on.", path};
    case EFBIG:
      return {"DISK_FULL", message, "The file system or a limit of this account allows no larger file.", path};
    case EACCES:
    case EPERM:
    case EROFS:
      return {code == "NOT_READABLE" ? code : "NOT_WRITABLE", message,
              "Check the permissions of the file and its folder.", path};
    case ENOENT:
    case ENOTDIR:
      return {code == "INTERNAL" ? "FILE_NOT_FOUND" : code, message, "Check that the path exists.", path};
    default:
      return {code, message, {}, path};
  }
}

}  // namespace gradloom
