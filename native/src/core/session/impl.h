// What a session is made of; its methods lie in train.cpp, evaluate.cpp, look.cpp, diagnose.cpp
// and checkpoint.cpp.
#pragma once

#include <ATen/core/TensorBody.h>
#include <c10/core/Device.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/autocast.h"
#include "core/loader.h"
#include "core/losses/loss.h"
#include "core/metrics/metric.h"
#include "core/mixing.h"
#include "core/model/model.h"
#include "core/optimizers/groups.h"
#include "core/session.h"
#include "core/session/buffers.h"
#include "core/session/ema.h"
#include "core/session/loss_scaler.h"
#include "core/session/phase_clock.h"
#include "core/session/scopes.h"
#include "core/state.h"

namespace gradloom {

class Session::Impl {
 public:
  explicit Impl(Plan plan);

  StepsResult train_steps(const StepsRequest& request);
  EvaluateResult evaluate(const EvaluateRequest& request);
  PredictResult predict(const PredictRequest& request);
  Diagnosis diagnose(const DiagnoseRequest& request);
  LookResult look(const LookRequest& request);
  void save_batch(int64_t epoch, int64_t batch, const std::string& file);
  void save_state(const std::string& folder);
  void load_state(const std::string& folder, bool model_only);
  LoadReport load_weights(const std::string& file);
  MemoryReport memory(bool reset_peak);

  /// Set from any thread, taken back by the call that it ends.
  std::atomic<bool> cancelled{false};

 private:
  class Step;
  class Examination;

  /// A training batch as it reaches the network.
  Batch train_batch(int64_t epoch, int64_t index) {
    Batch batch = loader_.train_batch(epoch, index);
    batch.label = batch.target;
    mixing_.apply(batch, epoch, index);
    return batch;
  }

  /// A forward, its output as losses take it; before the first one, the layers' shapes are checked against the plan
  /// with one sample.
  at::Tensor forward(const at::Tensor& input, bool training);

  /// The answers to predict with, in fp32.
  at::Tensor predict_batch(const at::Tensor& input);

  Plan plan_;
  c10::Device device_;
  Generators generators_;
  Model model_;
  std::vector<at::Tensor> parameters_;  // those that train
  AutocastState autocast_;
  std::unique_ptr<LossScaler> scaler_;  // with loss scaling
  std::unique_ptr<Ema> ema_;            // with averaging
  Buffers buffers_;
  ParameterGroups optimizer_;
  std::unique_ptr<Loss> loss_;
  std::map<std::string, std::unique_ptr<Metric>> metrics_;  // by key
  std::vector<std::pair<std::string, const MeanMetric*>> step_metrics_;
  Loader loader_;
  Mixing mixing_;
  at::Tensor found_inf_;  // [1] on the device: 1 from the first step that was not finite to the chunk's end
  at::Tensor one_;
  bool shapes_checked_ = false;
};

}  // namespace gradloom
