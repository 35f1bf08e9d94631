// The native plan (engine/contract/native.ts) as C++ values, and typed access to a kind's arguments. Free of torch
// headers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace gradloom {

/// Arguments of one kind by PyTorch's keyword names. A missing or mistyped one throws BAD_CALL and names its place.
class Args {
 public:
  Args() = default;
  Args(nlohmann::json values, std::string where);

  bool absent(std::string_view name) const;  // missing or null
  bool is_string(std::string_view name) const;
  double number(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::string string(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;
  std::vector<int64_t> integers(std::string_view name) const;
  /// A number counts for both dimensions, as in PyTorch.
  std::vector<int64_t> pair(std::string_view name) const;

  /// The same arguments with another value for one of them.
  Args with(std::string_view name, nlohmann::json value) const;

 private:
  const nlohmann::json& at(std::string_view name) const;
  [[noreturn]] void fail(std::string_view name, const std::string& wanted) const;

  nlohmann::json values_ = nlohmann::json::object();
  std::string where_;
};

struct LayerPlan;

/// Layers in order; `name` is the children's name within their block (`layers`, `shortcut`, a branch's or repetition's
/// index).
struct ListPlan {
  std::string name;
  std::vector<LayerPlan> layers;
};

struct LayerPlan {
  std::string path;  // prefix of its tensors' names
  std::string kind;
  Args args;
  std::vector<int64_t> output;  // dims without the batch
  std::vector<ListPlan> children;
};

struct KindPlan {
  std::string kind;
  Args args;
};

/// Parameters that are trained with the same values.
struct GroupPlan {
  std::vector<std::string> tensors;  // names of parameters
  double lr = 0;
  std::optional<double> weight_decay;  // absent: the optimizer has none
};

/// A tensor of the model and the torch.nn.init function that fills it.
struct InitPlan {
  std::string tensor;
  std::string kind;
  Args args;
};

struct MetricPlan {
  std::string key;  // names its column
  std::string kind;
  Args args;
};

/// What the target column holds.
enum class Target { classes, multi_label, vector, mask, next_token };

enum class ColumnType { uint8, uint16, float32, int64 };

struct ColumnPlan {
  std::string path;
  ColumnType type = ColumnType::float32;
  std::vector<int64_t> shape;  // of one sample
  bool scaled = false;         // uint8: value / 255; uint16: value / 65535
};

struct PartPlan {
  int64_t count = 0;
  ColumnPlan input;
  ColumnPlan target;
};

struct SplitPlan {
  std::string part;
  int64_t count = 0;
  std::optional<std::string> indices;  // file of little-endian int64; absent: all, in order
};

enum class Sampler {
  shuffle,   // each sample once, if the plan's `shuffle` says so in a new order
  balanced,  // with replacement, each class as often as any other
  weighted,  // with replacement, by the weights of the classes
};

struct LoaderPlan {
  int64_t batch_size = 1;
  bool shuffle = true;
  bool drop_last = false;
  int64_t num_workers = 0;
  bool pin_memory = false;
  bool persistent_workers = false;
  int64_t prefetch_factor = 2;
  Sampler sampler = Sampler::shuffle;
  std::vector<double> class_weights;  // of the weighted sampler
  std::optional<int64_t> padding;     // the token after a sequence's end: training batches are grouped by length and cut
  int64_t shortest = 1;               // to which they may be cut at most
};

enum class Precision { fp32, bf16, fp16 };

/// torch.amp.GradScaler's arguments.
struct LossScalePlan {
  double init_scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  int64_t growth_interval = 2000;
};

struct Plan {
  uint64_t seed = 0;
  bool deterministic = false;
  std::string device = "cpu";
  std::optional<int64_t> threads;
  std::vector<int64_t> input;  // dims of one sample
  std::vector<LayerPlan> model;
  KindPlan loss;
  KindPlan optimizer;
  std::vector<GroupPlan> groups;    // none: one of all parameters, as the optimizer says
  std::vector<std::string> frozen;  // names of parameters
  std::vector<InitPlan> inits;
  bool untrained = false;        // a network without weights will do
  std::optional<double> mixup;   // alpha
  std::optional<double> cutmix;  // alpha
  Target target = Target::classes;
  std::vector<MetricPlan> metrics;
  int64_t accumulate = 1;
  std::optional<double> clip_grad_norm;
  std::optional<double> clip_grad_value;
  Precision precision = Precision::fp32;
  bool tf32 = false;
  std::optional<LossScalePlan> loss_scale;
  std::vector<std::string> activation_checkpointing;  // paths at which segments begin
  std::optional<double> ema_decay;
  std::vector<KindPlan> transforms;
  std::map<std::string, PartPlan> parts;
  std::map<std::string, SplitPlan> splits;
  LoaderPlan loader;
};

/// Throws BAD_CALL, naming the place, for anything that is not a NativePlan.
Plan parse_plan(const nlohmann::json& plan);

/// The list `transforms` of a plan or request.
std::vector<KindPlan> parse_transforms(const nlohmann::json& value);

}  // namespace gradloom
