// The plain executable: runs a native plan without Node, for sanitizers, fuzzing and machines without Node. One JSON
// object a line.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/batches.h"
#include "core/describe.h"
#include "core/device_info.h"
#include "core/errors.h"
#include "core/session.h"

namespace {

using gradloom::Error;
using nlohmann::json;

constexpr const char* usage =
    R"(gradloom-run PLAN.json [options]   trains a native plan and prints one JSON object a line
  --epochs N          epochs to train (1)
  --steps N           stop after N optimizer steps in all
  --threads N         threads for arithmetic, instead of the plan's
  --device NAME       device, instead of the plan's
  --load DIR          start from what --save wrote
  --weights FILE      start from a safetensors file's tensors
  --save DIR          write the state into an existing folder at the end
  --evaluate SPLIT    evaluate a split after each epoch
  --batches FILE      do not train: write the loader's batches of the epochs to a safetensors file
  --path host|device  with --batches: where samples are transformed
  --pull EPOCHS       do not train: take the batches of so many epochs and tell how long that took
gradloom-run --describe | --devices
Beside busy programs set GOMP_SPINCOUNT=0; GRADLOOM_CPU_LIMIT=BYTES bounds tensors on the CPU.
GRADLOOM_MAP_LIMIT=BYTES: larger files of data are read row by row instead of mapped.
)";

struct Options {
  std::map<std::string, std::string> values;
  std::string plan;

  bool has(const std::string& name) const { return values.contains(name); }

  std::optional<std::string> text(const std::string& name) const {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }

  int64_t number(const std::string& name, int64_t otherwise) const {
    const auto found = text(name);
    if (!found) return otherwise;
    try {
      size_t used = 0;
      const int64_t value = std::stoll(*found, &used);
      if (used == found->size() && value >= 0) return value;
    } catch (const std::exception&) {
    }
    throw Error("BAD_CALL", name + " wants a whole number, not " + *found + ".");
  }
};

Options read_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--describe" || word == "--devices" || word == "--help") {
      options.values[word] = "";
    } else if (word.rfind("--", 0) == 0) {
      static const std::string known =
          " --epochs --steps --threads --device --load --weights --save --evaluate --batches --path --pull ";
      if (known.find(" " + word + " ") == std::string::npos)
        throw Error("BAD_CALL", "There is no option " + word + ".", "See --help.");
      if (i + 1 == count) throw Error("BAD_CALL", word + " wants a value.", "See --help.");
      options.values[word] = words[++i];
    } else {
      options.plan = word;
    }
  }
  return options;
}

/// Numbers that are not finite travel as strings, as in a run's journal.
json number(double value) {
  if (value != value) return "NaN";
  if (value > 1.7976931348623157e308) return "Infinity";
  if (value < -1.7976931348623157e308) return "-Infinity";
  return value;
}

void print(const json& line) {
  std::puts(line.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

gradloom::Plan read_plan(const Options& options) {
  std::ifstream file(options.plan, std::ios::binary);
  if (!file) throw Error("FILE_NOT_FOUND", "Could not read the plan " + options.plan + ".", {}, options.plan);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded()) throw Error("BAD_CALL", "The plan is not JSON.", {}, options.plan);
  gradloom::Plan plan = gradloom::parse_plan(parsed);
  if (options.has("--threads")) plan.threads = options.number("--threads", 1);
  if (const auto device = options.text("--device")) plan.device = *device;
  return plan;
}

/// Optimizer steps of one epoch.
int64_t steps_of(const gradloom::Plan& plan) {
  const int64_t samples = plan.splits.at("train").count;
  const int64_t size = plan.loader.batch_size;
  const int64_t batches = plan.loader.drop_last ? samples / size : (samples + size - 1) / size;
  return (batches + plan.accumulate - 1) / plan.accumulate;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

json memory_line(gradloom::Session& session) {
  const gradloom::MemoryReport report = session.memory(false);
  return {{"allocated", report.allocated}, {"reserved", report.reserved}, {"peak", report.peak}};
}

json evaluate(gradloom::Session& session, const std::string& split, int64_t batch_size) {
  const auto result = session.evaluate({split, batch_size, false});
  json line{{"type", "evaluate"}, {"split", split}, {"loss", number(result.loss)}, {"samples", result.samples}};
  for (const auto& [name, value] : result.metrics) line[name] = number(value);
  return line;
}

/// One epoch's line; `steps` at most.
json train_epoch(gradloom::Session& session, const gradloom::Plan& plan, int64_t epoch, int64_t steps) {
  const auto start = std::chrono::steady_clock::now();
  gradloom::StepsRequest request{epoch, 0, steps, {}};
  for (const gradloom::GroupPlan& group : plan.groups)
    request.groups.push_back({std::vector<double>(static_cast<size_t>(steps), group.lr), {}, {}});
  const auto result = session.train_steps(request);
  double loss = 0;
  double samples = 0;
  for (size_t i = 0; i < result.columns.at("loss").size(); ++i) {
    loss += result.columns.at("loss")[i] * result.columns.at("samples")[i];
    samples += result.columns.at("samples")[i];
  }
  const double seconds = seconds_since(start);
  json line{{"type", "epoch"},
            {"epoch", epoch + 1},
            {"steps", result.steps},
            {"samples", samples},
            {"non_finite", result.non_finite},
            {"train_loss", number(samples > 0 ? loss / samples : 0)},
            {"seconds", seconds},
            {"samples_per_second", number(samples / seconds)}};
  const auto& phases = result.seconds;
  line["breakdown"] = {{"data", phases.data},         {"copy", phases.copy},           {"forward", phases.forward},
                       {"backward", phases.backward}, {"optimizer", phases.optimizer}, {"other", phases.other},
                       {"total", phases.total}};
  line["memory"] = memory_line(session);
  return line;
}

void train(const Options& options) {
  const gradloom::Plan plan = read_plan(options);
  const int64_t epochs = options.number("--epochs", 1);
  if (const auto file = options.text("--batches")) {
    gradloom::write_batches(plan, epochs, options.text("--path").value_or("host") == "device", *file);
    print({{"type", "batches"}, {"path", *file}});
    return;
  }
  if (options.has("--pull")) {
    for (const auto& [samples, seconds] : gradloom::pull_batches(plan, options.number("--pull", 1))) {
      print({{"type", "pulled"},
             {"samples", samples},
             {"seconds", seconds},
             {"samples_per_second", number(static_cast<double>(samples) / seconds)}});
    }
    return;
  }
  const auto start = std::chrono::steady_clock::now();
  gradloom::Session session(plan);
  print({{"type", "start"},
         {"device", plan.device},
         {"seconds", seconds_since(start)},
         {"memory", memory_line(session)}});
  if (const auto folder = options.text("--load")) session.load_state(*folder, false);
  if (const auto file = options.text("--weights")) {
    const auto report = session.load_weights(*file);
    print({{"type", "weights"},
           {"matched", report.matched.size()},
           {"missing", report.missing},
           {"unexpected", report.unexpected}});
  }
  int64_t left = options.number("--steps", INT64_MAX);
  for (int64_t epoch = 0; epoch < epochs && left > 0; ++epoch) {
    const int64_t steps = std::min(left, steps_of(plan));
    print(train_epoch(session, plan, epoch, steps));
    left -= steps;
    if (const auto split = options.text("--evaluate")) print(evaluate(session, *split, plan.loader.batch_size));
  }
  if (epochs == 0 && options.has("--evaluate"))
    print(evaluate(session, *options.text("--evaluate"), plan.loader.batch_size));
  if (const auto folder = options.text("--save")) session.save_state(*folder);
  print({{"type", "end"}, {"seconds", seconds_since(start)}});
}

void list_devices() {
  for (const auto& device : gradloom::list_devices()) {
    json line{{"type", "device"}, {"name", device.name}, {"label", device.label}};
    line["memory_total"] = device.memory_total ? json(*device.memory_total) : json();
    line["memory_free"] = device.memory_free ? json(*device.memory_free) : json();
    line["capability"] = device.capability ? json(*device.capability) : json();
    print(line);
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    const Options options = read_options(count, words);
    if (options.has("--help") || count == 1) {
      std::fputs(usage, options.has("--help") ? stdout : stderr);
      return options.has("--help") ? 0 : 2;
    }
    if (options.has("--describe")) {
      print(gradloom::describe());
    } else if (options.has("--devices")) {
      list_devices();
    } else {
      train(options);
    }
    return 0;
  } catch (...) {
    const Error error = gradloom::to_error(std::current_exception());
    json line{{"type", "error"}, {"code", error.code}, {"message", error.what()}};
    if (!error.hint.empty()) line["hint"] = error.hint;
    if (!error.path.empty()) line["path"] = error.path;
    print(line);
    return error.code == "BAD_CALL" ? 2 : 1;
  }
}
