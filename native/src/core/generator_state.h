// A generator's state, read and written under its lock.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/TensorBody.h>

namespace gradloom {

at::Tensor generator_state(at::Generator generator);
void set_generator_state(at::Generator generator, const at::Tensor& state);

}  // namespace gradloom
