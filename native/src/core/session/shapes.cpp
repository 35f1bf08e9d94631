// Shape inference lives in TypeScript; this is where its answers meet the tensors.
#include "core/session/shapes.h"

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include "core/errors.h"

namespace gradloom {

namespace {

std::string dims(at::IntArrayRef sizes) {
  std::string text;
  for (const int64_t size : sizes) {
    if (!text.empty()) text += "×";
    text += std::to_string(size);
  }
  return text.empty() ? "a single value" : text;
}

[[noreturn]] void fail(const Node& node, const std::string& what) {
  throw Error("SHAPE_MISMATCH", "Layer " + node.path + " (" + node.kind + ") " + what,
              "This is a fault of Gradloom's shape rules: please report it with the project file.", node.path);
}

}  // namespace

at::Tensor ShapeCheck::run(const Node& node, const at::Tensor& input, const Pass& pass) {
  at::Tensor output;
  try {
    output = node.forward(input, pass);
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const c10::Error& error) {
    fail(node, "cannot take an input of " + dims(input.sizes().slice(1)) + ": " + error.what_without_backtrace());
  }
  const at::IntArrayRef found = output.sizes().slice(1);
  if (output.size(0) != input.size(0))
    fail(node, "changes the number of samples from " + std::to_string(input.size(0)) + " to " +
                   std::to_string(output.size(0)) + ".");
  if (found != at::IntArrayRef(node.output))
    fail(node, "gives " + dims(found) + " where the plan says " + dims(node.output) + ".");
  return output;
}

}  // namespace gradloom
