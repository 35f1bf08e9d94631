// Joins the families of transforms to one table.
#include <algorithm>

#include "core/errors.h"
#include "core/transforms/families.h"

namespace gradloom {

std::span<const TransformKind> transform_kinds() {
  static const std::vector<TransformKind> kinds = [] {
    std::vector<TransformKind> all;
    for (const auto family : {value_transforms(), move_transforms(), resize_transforms(), turn_transforms(),
                              colour_transforms(), erase_transforms(), policy_transforms()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return kinds;
}

std::unique_ptr<Transform> build_transform(const KindPlan& plan, const std::vector<int64_t>& input,
                                           c10::Device device) {
  const auto kinds = transform_kinds();
  const auto row =
      std::find_if(kinds.begin(), kinds.end(), [&](const TransformKind& kind) { return kind.kind == plan.kind; });
  if (row == kinds.end())
    throw Error("NOT_SUPPORTED", "There is no transform " + plan.kind + ".", {}, "data.transforms");
  return row->build(plan.args, input, device);
}

std::vector<int64_t> applied(std::span<const Drawn> drawn) {
  std::vector<int64_t> samples;
  for (size_t i = 0; i < drawn.size(); ++i) {
    if (drawn[i].applies) samples.push_back(static_cast<int64_t>(i));
  }
  return samples;
}

}  // namespace gradloom
