// Turns what libtorch, the standard library and the operating system throw or return into errors with codes.
#include "core/errors.h"

#include <c10/util/Exception.h>

#include <cerrno>
#include <new>
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
    return {"INTERNAL", first_line(error.what_without_backtrace())};
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
