// Runs the native tests and prints one JSON line each: {"name", "ok", "message"}. Exit 1 when one failed.
#include <iostream>

#include <nlohmann/json.hpp>

#include "core/devices.h"
#include "core/errors.h"
#include "test.h"

int main() {
  gradloom::prepare_process();
  bool all = true;
  for (const auto& cases : {gradloom::test::kernel_cases(), gradloom::test::session_cases(),
                            gradloom::test::optimizer_cases(), gradloom::test::runtime_cases(), gradloom::test::loading_cases()}) {
    for (const gradloom::test::Case& test : cases) {
      nlohmann::json line = {{"name", test.name}, {"ok", true}};
      try {
        test.run();
      } catch (...) {
        const gradloom::Error error = gradloom::to_error(std::current_exception());
        line["ok"] = all = false;
        line["message"] = error.code + ": " + error.what();
      }
      std::cout << line.dump() << std::endl;
    }
  }
  return all ? 0 : 1;
}
