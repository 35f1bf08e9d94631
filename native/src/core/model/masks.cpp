// Looked up by path in the pass.
#include "core/model/masks.h"

#include <ATen/ATen.h>

#include "core/errors.h"
#include "core/model/layer.h"

namespace gradloom {

const at::Tensor& Mask::lengths() {
  if (!lengths_.defined()) {
    const at::Tensor positions = at::arange(1, padding_.size(1) + 1, padding_.options().dtype(at::kLong));
    lengths_ = at::amax(padding_.logical_not() * positions, 1);
  }
  return lengths_;
}

const Packing& Mask::packing() {
  if (!packing_) {
    auto [sorted, order] = lengths().cpu().sort(0, true);
    order = order.to(padding_.device());
    const at::Tensor back = at::empty_like(order).scatter_(0, order, at::arange(order.numel(), order.options()));
    packing_ = {sorted, order, back};
  }
  return *packing_;
}

void tell_padding(const Pass& pass, const std::string& path, const at::Tensor& padding) {
  if (!pass.recomputing) pass.masks->insert_or_assign(path, Mask(padding));
}

Padding::Padding(const Args& args) {
  if (!args.absent("mask")) path_ = args.string("mask");
}

Mask& Padding::in(const Pass& pass) const {
  const auto found = pass.masks->find(*path_);
  if (found == pass.masks->end())
    throw Error("BAD_CALL", "No layer " + *path_ + " has told which positions are padding.",
                "Plan the project again with this version.", *path_);
  return found->second;
}

}  // namespace gradloom
