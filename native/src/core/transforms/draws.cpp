// The generator takes the engine over as it stands, so that both ways of drawing are one sequence.
#include "core/transforms/draws.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

namespace gradloom {

float Draws::uniform() {
  return static_cast<float>(next() & ((1U << 24) - 1)) * (1.0F / (1U << 24));
}

int64_t Draws::below(int64_t end) {
  return next() % static_cast<uint32_t>(end);
}

at::Tensor Draws::uniform_tensor(double from, double to) {
  return at::empty({1}, at::kFloat).uniform_(from, to, generator());
}

at::Tensor Draws::normal(at::IntArrayRef sizes) {
  return at::empty(sizes, at::kFloat).normal_(0, 1, generator());
}

std::vector<double> Draws::permutation(int64_t n) {
  const at::Tensor order = at::randperm(n, generator(), at::kLong);
  return {order.const_data_ptr<int64_t>(), order.const_data_ptr<int64_t>() + n};
}

uint32_t Draws::next() {
  return generator_.defined() ? at::check_generator<at::CPUGeneratorImpl>(generator_)->random() : engine_();
}

const at::Generator& Draws::generator() {
  if (!generator_.defined()) {
    generator_ = at::detail::createCPUGenerator(0);
    at::check_generator<at::CPUGeneratorImpl>(generator_)->set_engine(engine_);
  }
  return generator_;
}

}  // namespace gradloom
