// A handful of words for native tests: a table of named functions, and checks that throw.
#pragma once

#include <span>
#include <stdexcept>
#include <string>

namespace gradloom::test {

struct Case {
  const char* name;
  void (*run)();
};

std::span<const Case> kernel_cases();
std::span<const Case> session_cases();
std::span<const Case> optimizer_cases();
std::span<const Case> runtime_cases();
std::span<const Case> loading_cases();

inline void check(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

}  // namespace gradloom::test
