// Generators may be used by several threads: each access takes their lock, as ATen asks for.
#include "core/generator_state.h"

#include <mutex>

namespace gradloom {

at::Tensor generator_state(at::Generator generator) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return generator.get_state();
}

void set_generator_state(at::Generator generator, const at::Tensor& state) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(state);
}

}  // namespace gradloom
