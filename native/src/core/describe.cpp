// Reads the description off the tables.
#include "core/describe.h"

#include <ATen/ATen.h>
#include <ATen/Version.h>
#include <torch/headeronly/version.h>

#include "core/layers/inits.h"
#include "core/layers/table.h"
#include "core/losses/loss.h"
#include "core/metrics/metric.h"
#include "core/optimizers/optimizer.h"
#include "core/threads.h"
#include "core/transforms/transform.h"

namespace gradloom {

using nlohmann::json;

namespace {

/// `arguments` is the row's column of argument names.
template <typename Row, typename Column>
json arguments_by_kind(std::span<const Row> rows, Column Row::* arguments) {
  json result = json::object();
  for (const Row& row : rows) {
    json names = json::array();
    for (const std::string_view name : row.*arguments) names.push_back(name);
    result[std::string(row.kind)] = names;
  }
  return result;
}

}  // namespace

json describe() {
  return {
      {"abi", 1},
      {"libtorch", TORCH_VERSION},
      {"layers", arguments_by_kind(layer_kinds(), &LayerKind::arguments)},
      {"optimizers", arguments_by_kind(optimizer_kinds(), &OptimizerKind::arguments)},
      {"losses", arguments_by_kind(loss_kinds(), &LossKind::arguments)},
      {"metrics", arguments_by_kind(metric_kinds(), &MetricKind::arguments)},
      {"transforms", arguments_by_kind(transform_kinds(), &TransformKind::arguments)},
      {"inits", arguments_by_kind(init_kinds(), &InitKind::arguments)},
      {"cpu", {{"capability", at::get_cpu_capability()}, {"threads", physical_cores()}}},
  };
}

}  // namespace gradloom
