// Transforms of input samples, exactly as torchvision's.
#include "core/transforms.h"

#include "core/errors.h"
#include "core/geometry.h"

namespace gradloom {

namespace {

/// (x − mean) / std, with one value for all or one for each channel, the first dimension.
class Normalize final : public Transform {
 public:
  Normalize(const Args& args, const std::vector<int64_t>& shape, c10::Device device)
      : mean_(per_channel(args, "mean", shape)), std_(per_channel(args, "std", shape)) {
    // [C, 1, 1] against [n, C, H, W], as torchvision does it.
    std::vector<int64_t> dims(shape.size(), 1);
    if (!dims.empty()) dims[0] = static_cast<int64_t>(mean_.size());
    device_mean_ = at::tensor(at::ArrayRef<float>(mean_), at::kFloat).view(dims).to(device);
    device_std_ = at::tensor(at::ArrayRef<float>(std_), at::kFloat).view(dims).to(device);
  }

  void apply(float* values, int64_t count, int64_t channel) const override {
    const float mean = mean_[static_cast<size_t>(channel)];
    const float std = std_[static_cast<size_t>(channel)];
    for (int64_t i = 0; i < count; ++i) values[i] = (values[i] - mean) / std;
  }

  at::Tensor apply(const at::Tensor& batch) const override { return batch.sub_(device_mean_).div_(device_std_); }

 private:
  static std::vector<float> per_channel(const Args& args, std::string_view name, const std::vector<int64_t>& shape) {
    const std::vector<double> given = args.numbers(name);
    const size_t channels = shape.empty() ? 1 : static_cast<size_t>(shape.front());
    if (given.size() == 1) return std::vector<float>(channels, static_cast<float>(given.front()));
    if (given.size() != channels) {
      throw Error("BAD_CALL", "Normalize needs one number or " + std::to_string(channels) + " for " +
                                  std::string(name) + " but received " + std::to_string(given.size()) + ".");
    }
    return {given.begin(), given.end()};
  }

  std::vector<float> mean_;
  std::vector<float> std_;
  at::Tensor device_mean_;
  at::Tensor device_std_;
};

template <typename T>
std::unique_ptr<Transform> build(const Args& args, const std::vector<int64_t>& shape, c10::Device device) {
  return std::make_unique<T>(args, shape, device);
}

constexpr std::array<std::string_view, 2> normalize_arguments{"mean", "std"};

constexpr std::array<TransformKind, 1> kinds{{
    {"Normalize", normalize_arguments, &build<Normalize>},
}};

}  // namespace

std::span<const TransformKind> transform_kinds() {
  return kinds;
}

std::vector<std::unique_ptr<Transform>> build_transforms(const std::vector<KindPlan>& plan,
                                                         const std::vector<int64_t>& shape, c10::Device device) {
  std::vector<std::unique_ptr<Transform>> transforms;
  for (size_t i = 0; i < plan.size(); ++i) {
    const KindPlan& wanted = plan[i];
    const auto moves = [&](const GeometryKind& kind) { return kind.kind == wanted.kind; };
    if (std::any_of(geometry_kinds().begin(), geometry_kinds().end(), moves)) continue;
    const auto* const row =
        std::find_if(kinds.begin(), kinds.end(), [&](const TransformKind& kind) { return kind.kind == wanted.kind; });
    if (row == kinds.end())
      throw Error("NOT_SUPPORTED", "There is no transform " + wanted.kind + ".", {}, "data.transforms");
    transforms.push_back(row->build(wanted.args, shape, device));
    transforms.back()->index = static_cast<int32_t>(i);
  }
  return transforms;
}

}  // namespace gradloom
