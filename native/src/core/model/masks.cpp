// Looked up by path in the pass.
#include "core/model/masks.h"

#include <ATen/ATen.h>

#include "core/errors.h"
#include "core/model/layer.h"

namespace gradloom {

Padding::Padding(const Args& args) {
  if (!args.absent("mask")) path_ = args.string("mask");
}

const at::Tensor& Padding::in(const Pass& pass) const {
  const auto found = pass.masks->find(*path_);
  if (found == pass.masks->end())
    throw Error("BAD_CALL", "No layer " + *path_ + " has told which positions are padding.",
                "Plan the project again with this version.", *path_);
  return found->second;
}

at::Tensor Padding::lengths(const Pass& pass) const {
  const at::Tensor& padding = in(pass);
  const at::Tensor positions = at::arange(1, padding.size(1) + 1, padding.options().dtype(at::kLong));
  return at::amax(padding.logical_not() * positions, 1);
}

}  // namespace gradloom
