// Losses and their table: one row a kind.
#pragma once

#include <ATen/core/TensorBody.h>

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/names.h"
#include "core/plan.h"

namespace gradloom {

/// Outputs come with the classes second, as PyTorch's losses take them: see `align`.
class Loss {
 public:
  Loss() = default;
  virtual ~Loss() = default;
  Loss(const Loss&) = delete;
  Loss& operator=(const Loss&) = delete;

  /// torch's value with reduction "mean".
  virtual at::Tensor mean(const at::Tensor& output, const at::Tensor& target) const = 0;

  /// torch's value with reduction "sum".
  virtual at::Tensor sum(const at::Tensor& output, const at::Tensor& target) const = 0;

  /// What `mean` divides `sum` by: a scalar on the device, since class weights and ignored targets depend on the batch.
  virtual at::Tensor divisor(const at::Tensor& output, const at::Tensor& target) const = 0;

  /// The class index that counts for nothing, in metrics too.
  virtual std::optional<int64_t> ignore_index() const { return std::nullopt; }

  /// What metrics of numbers compare with the target.
  virtual at::Tensor prediction(const at::Tensor& output) const { return output; }

  /// What a prediction shows besides the network's output.
  virtual at::Tensor probabilities(const at::Tensor& output) const { return output; }
};

/// A network scores next tokens last (N × length × tokens); losses and metrics want the scores second.
at::Tensor align(const at::Tensor& output, Target target);

/// What `align` has moved, in the network's own order again.
at::Tensor in_own_order(const at::Tensor& aligned, Target target);

struct LossKind {
  std::string_view kind;
  Names arguments;
  std::unique_ptr<Loss> (*build)(const Args&, c10::Device);
};

std::span<const LossKind> loss_kinds();

/// Throws NOT_SUPPORTED for a kind without a row.
std::unique_ptr<Loss> build_loss(const KindPlan& plan, c10::Device device);

}  // namespace gradloom
