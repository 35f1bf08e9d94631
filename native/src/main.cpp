// The plain executable: runs a native plan without Node, for sanitizers, fuzzing and machines without Node.
#include "core/errors.h"

#include <cstdio>

int main() {
  std::puts("{}");
  return 0;
}
