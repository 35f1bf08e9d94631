// The running mean of a model's weights, as torch.optim.swa_utils.AveragedModel(get_ema_multi_avg_fn(decay),
// use_buffers=True).
#pragma once

#include <ATen/core/TensorBody.h>

#include <vector>

#include "core/model/model.h"

namespace gradloom {

class Ema {
 public:
  Ema(const Model& model, double decay);

  /// After a step: takes the weights over the first time, then moves towards them. Changes nothing that lasts where the
  /// device's flag ([1], 0 or 1) is set.
  void update(const at::Tensor& void_step);

  /// Whether a step has been averaged; until then the mean is the model itself.
  bool started() const { return started_; }
  void set_started(bool started) { started_ = started; }

  /// The means, by the names and in the order of the model's tensors; without values before the first step.
  const std::vector<ModelTensor>& averages();

  /// While it lives, the model's tensors hold the means; nothing is copied. Where nothing is averaged, or `ema` is
  /// null, it does nothing. Not within inference mode.
  class Swap {
   public:
    explicit Swap(Ema* ema);
    ~Swap();
    Swap(const Swap&) = delete;
    Swap& operator=(const Swap&) = delete;

   private:
    Ema* ema_;
    std::vector<at::Tensor> raw_;
  };

 private:
  double decay_;
  std::vector<at::Tensor> model_;
  std::vector<ModelTensor> averages_;  // undefined until they are needed: who only evaluates needs none
  bool started_ = false;
};

}  // namespace gradloom
