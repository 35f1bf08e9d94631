// One training session: a model, its optimizer and its place in the random numbers, driven by requests. Free of torch
// headers.
#pragma once

#include <memory>
#include <string>

#include "core/device_info.h"
#include "core/plan.h"
#include "core/session_types.h"

namespace gradloom {

/// Every method but `cancel` is called from the thread that built the session.
class Session {
 public:
  explicit Session(Plan plan);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs exactly `steps` optimizer steps, fewer when cancelled or when one is not finite.
  StepsResult train_steps(const StepsRequest& request);

  EvaluateResult evaluate(const EvaluateRequest& request);
  PredictResult predict(const PredictRequest& request);

  /// Runs one step, changes nothing, and names the first place whose values are not finite.
  Diagnosis diagnose(const DiagnoseRequest& request);

  /// What each layer makes of one sample in eval mode, in fp32; changes nothing.
  LookResult look(const LookRequest& request);

  /// Writes a training batch as it reaches the network.
  void save_batch(int64_t epoch, int64_t batch, const std::string& file);

  /// Writes model.safetensors, optimizer.safetensors and rng.safetensors into an existing folder.
  void save_state(const std::string& folder);

  /// Reads what `save_state` wrote; on WEIGHTS_MISMATCH nothing has changed.
  void load_state(const std::string& folder, bool model_only);

  /// Copies tensors of equal name and shape into the model.
  LoadReport load_weights(const std::string& file);

  MemoryReport memory(bool reset_peak);

  /// From any thread: the running call ends at its next batch.
  void cancel();

  /// Between calls: a cancel that came too late for its call must not end the next one.
  void forget_cancel();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gradloom
