// Requests and answers of a session, as engine/contract/native.ts has them. Free of torch headers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gradloom {

/// One parameter group's values by real steps done in this request; an empty column keeps the optimizer's own value.
struct GroupSchedule {
  std::vector<double> lr;
  std::vector<double> momentum;
  std::vector<double> weight_decay;
};

struct StepsRequest {
  int64_t epoch = 0;  // from 0
  int64_t batch = 0;  // loader batches into the epoch
  int64_t steps = 0;  // optimizer steps, not past the epoch's end
  std::vector<GroupSchedule> groups;
  bool peaks = false;  // measure them; the device's peak starts anew at each phase
};

struct ByPhase {
  double data = 0;
  double copy = 0;
  double forward = 0;
  double backward = 0;
  double optimizer = 0;
};

/// Bytes of tensors at each phase's highest moment, and between a forward and its backward pass.
struct PhasePeaks : ByPhase {
  double held = 0;
};

/// Wall seconds of a chunk; the phases sum to `total`.
struct PhaseSeconds : ByPhase {
  double other = 0;
  double total = 0;
};

struct StepsResult {
  int64_t steps = 0;  // done; with loss scaling: attempted
  bool cancelled = false;
  bool non_finite = false;                             // everything stands as before the first step that was not finite
  // loss, samples, metrics that are means, grad_norm; scale and skipped
  std::map<std::string, std::vector<double>> columns;
  std::map<std::string, std::vector<double>> counts;  // over how many samples or positions each metric's mean is
  PhaseSeconds seconds;
  std::optional<PhasePeaks> peaks;  // where asked for
};

struct EvaluateRequest {
  std::string split;
  int64_t batch_size = 1;
  bool confusion = false;
};

struct EvaluateResult {
  double loss = 0;
  int64_t samples = 0;
  std::map<std::string, double> metrics;
  std::optional<std::vector<double>> confusion;  // row-major, rows are the true class; of labels 2 × 2 each
  bool cancelled = false;
};

struct PredictRequest {
  std::string split;
  int64_t start = 0;
  int64_t count = 0;
};

struct PredictResult {
  std::vector<float> logits;  // row-major, one row a sample
  std::vector<float> probabilities;
  int64_t width = 0;
  std::vector<double> targets;  // class index, NaN where the target is no class
};

struct DiagnoseRequest {
  int64_t epoch = 0;
  int64_t batch = 0;
  int64_t batches = 1;
  std::vector<GroupSchedule> groups{};  // empty: the update is not tried
};

struct ValueCounts {
  int64_t elements = 0;
  int64_t nan = 0;
  int64_t positive_infinity = 0;
  int64_t negative_infinity = 0;
  std::optional<double> min;  // of the finite ones
  std::optional<double> max;
};

/// Every so-many-th value of a layer's output (or of `input`) along each dimension.
struct LookedValues {
  std::string path;
  std::vector<int64_t> steps;
};

struct LookRequest {
  std::string split;
  int64_t index = 0;                   // within the split
  bool statistics = false;             // of every layer; else of those in `values`
  std::vector<LookedValues> values{};
};

struct ValueStatistics : ValueCounts {
  std::optional<double> mean;  // of the finite ones
  std::optional<double> std;   // population
  int64_t zeros = 0;
  std::vector<int64_t> zero_slices;  // for each dimension: how many of its slices are zero everywhere
};

struct LookedLayer {
  std::string path;
  std::vector<int64_t> shape;  // of one sample
  ValueStatistics statistics;
  std::optional<std::vector<float>> values;  // where asked for
};

struct LookResult {
  std::vector<LookedLayer> layers;  // as they ran: a block after what is in it
  std::optional<int64_t> target;    // the sample's class, where it has one
};

struct Diagnosis {
  std::string phase = "none";  // parameters, input, forward, loss, backward, update, none
  std::optional<std::string> layer;
  std::optional<std::string> kind;
  std::optional<std::string> tensor;
  std::optional<int64_t> batch;
  std::optional<ValueCounts> values;
};

struct ShapeDifference {
  std::string name;
  std::vector<int64_t> expected;
  std::vector<int64_t> found;
};

struct LoadReport {
  std::vector<std::string> matched;
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  std::vector<ShapeDifference> mismatched;
};

}  // namespace gradloom
