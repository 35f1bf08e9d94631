// Losses and their table: one row a kind.
#pragma once

#include <ATen/core/TensorBody.h>

#include <memory>
#include <span>
#include <string>

#include "core/names.h"
#include "core/plan.h"

namespace gradloom {

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

  /// What a prediction shows besides the network's output.
  virtual at::Tensor probabilities(const at::Tensor& output) const { return output; }
};

struct LossKind {
  std::string_view kind;
  Names arguments;
  std::unique_ptr<Loss> (*build)(const Args&, c10::Device);
};

std::span<const LossKind> loss_kinds();

/// Throws NOT_SUPPORTED for a kind without a row.
std::unique_ptr<Loss> build_loss(const KindPlan& plan, c10::Device device);

}  // namespace gradloom
