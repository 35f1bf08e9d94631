// A session's promises: chunks, cancelling and non-finite steps leave exactly the state of so many whole steps, to the
// bit.
#include <ATen/ATen.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <thread>

#include "core/errors.h"
#include "core/session.h"
#include "core/state.h"
#include "test.h"

namespace gradloom::test {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int64_t batch_size = 8;
constexpr int64_t samples = 96;

/// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "gradloom-test-XXXXXX").string();
    for (int i = 0;; ++i) {
      path = name + std::to_string(std::hash<std::thread::id>{}(std::this_thread::get_id()) % 100000) + "-" +
             std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + std::to_string(i);
      if (fs::create_directories(path)) return;
    }
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path;
};

template <typename Value>
std::string write_values(const Folder& folder, const std::string& name, const at::Tensor& values) {
  const std::string path = folder.path + "/" + name;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.const_data_ptr<Value>()),
             static_cast<std::streamsize>(values.nbytes()));
  return path;
}

LayerPlan layer(const std::string& path, const std::string& kind, std::vector<int64_t> output,
                json args = json::object()) {
  return {path, kind, Args(std::move(args), path), std::move(output), {}};
}

std::vector<LayerPlan> network() {
  return {
      layer("0", "Conv2d", {8, 6, 6},
            {{"in_channels", 1},
             {"out_channels", 8},
             {"kernel_size", {3, 3}},
             {"stride", {1, 1}},
             {"padding", {0, 0}},
             {"dilation", {1, 1}},
             {"groups", 1},
             {"bias", true},
             {"padding_mode", "zeros"}}),
      layer("1", "BatchNorm2d", {8, 6, 6},
            {{"num_features", 8},
             {"eps", 1e-5},
             {"momentum", 0.1},
             {"affine", true},
             {"bias", true},
             {"track_running_stats", true}}),
      layer("2", "ReLU", {8, 6, 6}),
      layer("3", "MaxPool2d", {8, 3, 3},
            {{"kernel_size", 2}, {"stride", 2}, {"padding", 0}, {"dilation", 1}, {"ceil_mode", false}}),
      layer("4", "Flatten", {72}, {{"start_dim", 1}, {"end_dim", -1}}),
      layer("5", "Dropout", {72}, {{"p", 0.4}}),
      layer("6", "Linear", {5}, {{"in_features", 72}, {"out_features", 5}, {"bias", true}}),
  };
}

/// Samples of 1×8×8 in stored order, so that `bad_batch` is known; its samples are NaN.
Plan make_plan(const Folder& folder, int64_t bad_batch = -1) {
  at::Tensor input = at::arange(samples * 64).mul(0.37).sin().to(at::kFloat).contiguous();
  if (bad_batch >= 0) input.narrow(0, bad_batch * batch_size * 64, 64).fill_(std::numeric_limits<double>::quiet_NaN());
  const at::Tensor target = at::arange(samples).remainder(5);
  Plan plan;
  plan.seed = 7;
  plan.threads = 1;
  plan.input = {1, 8, 8};
  plan.model = network();
  plan.loss = {"CrossEntropyLoss",
               Args({{"weight", nullptr}, {"ignore_index", -100}, {"label_smoothing", 0.0}}, "loss")};
  plan.optimizer = {"Adam", Args({{"lr", 0.01},
                                  {"betas", {0.9, 0.999}},
                                  {"eps", 1e-8},
                                  {"weight_decay", 0.0},
                                  {"amsgrad", false},
                                  {"maximize", false}},
                                 "optimizer")};
  const json metric{{"task", "multiclass"}, {"classes", 5}, {"average", "micro"}};
  plan.metrics = {{"accuracy", "accuracy", Args(metric, "metric")}};
  plan.parts["train"] = {samples,
                         {write_values<float>(folder, "input", input), ColumnType::float32, {1, 8, 8}, false},
                         {write_values<int64_t>(folder, "target", target), ColumnType::int64, {}, false}};
  plan.splits["train"] = {"train", samples, {}};
  plan.splits["val"] = {"train", samples, {}};
  plan.loader.batch_size = batch_size;
  plan.loader.shuffle = false;
  return plan;
}

void use_sgd(Plan& plan, double dampening) {
  plan.optimizer = {"SGD", Args({{"lr", 0.01},
                                 {"momentum", 0.9},
                                 {"dampening", dampening},
                                 {"weight_decay", 0.0},
                                 {"nesterov", false},
                                 {"maximize", false}},
                                "optimizer")};
}

StepsResult train(Session& session, int64_t batch, int64_t steps) {
  return session.train_steps({0, batch, steps, {{std::vector<double>(static_cast<size_t>(steps), 0.01), {}, {}}}});
}

/// The bytes of everything `save_state` writes.
std::string state(Session& session) {
  const Folder folder;
  session.save_state(folder.path);
  std::string bytes;
  for (const char* file : {"model.safetensors", "optimizer.safetensors", "rng.safetensors"}) {
    std::ifstream stream(folder.path + "/" + file, std::ios::binary);
    bytes.append(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return bytes;
}

void chunks_do_not_matter() {
  const Folder folder;
  Session whole(make_plan(folder));
  Session parts(make_plan(folder));
  const StepsResult all = train(whole, 0, 9);
  std::vector<double> losses;
  for (const int64_t steps : {1, 3, 5}) {
    const auto column = train(parts, static_cast<int64_t>(losses.size()), steps).columns.at("loss");
    losses.insert(losses.end(), column.begin(), column.end());
  }
  check(all.steps == 9 && all.columns.at("loss") == losses, "other losses");
  check(state(whole) == state(parts), "another state");
  check(std::abs(all.seconds.total - (all.seconds.data + all.seconds.copy + all.seconds.forward + all.seconds.backward +
                                      all.seconds.optimizer + all.seconds.other)) < 1e-9,
        "the phases do not sum to the total");
}

void looking_changes_nothing() {
  const Folder folder;
  Session plain(make_plan(folder));
  Session watched(make_plan(folder));
  train(plain, 0, 4);
  train(plain, 4, 4);
  train(watched, 0, 4);
  watched.evaluate({"val", 10, true});
  watched.predict({"val", 3, 20});
  check(watched.diagnose({0, 2}).phase == "none", "a good batch was diagnosed as bad");
  train(watched, 4, 4);
  check(state(plain) == state(watched), "evaluate, predict or diagnose left traces");
}

void non_finite_step_is_void() {
  for (const double dampening : {-1.0, 0.3}) {  // -1: Adam
    for (const int64_t bad : {0, 5}) {
      const Folder folder;
      Plan plan = make_plan(folder, bad);
      if (dampening >= 0) use_sgd(plan, dampening);
      Session hit(plan);
      Session spared(plan);
      const StepsResult result = train(hit, 0, 10);
      check(result.non_finite && !result.cancelled, "the bad step was not noticed");
      check(result.steps == bad && static_cast<int64_t>(result.columns.at("loss").size()) == bad,
            "not exactly the steps before the bad one");
      train(spared, 0, bad);
      check(state(hit) == state(spared), "the state is not that before the bad step");
      const Diagnosis diagnosis = hit.diagnose({0, bad});
      check(diagnosis.phase == "input" && !diagnosis.layer, "diagnosis says " + diagnosis.phase);
      check(!train(hit, bad + 1, 3).non_finite, "the flag stayed set");
      train(spared, bad + 1, 3);
      check(state(hit) == state(spared), "going on after a void step gives another state");
    }
  }
}

void cancelled_step_is_taken_back() {
  const Folder folder;
  Plan plan = make_plan(folder);
  plan.accumulate = 4;
  for (int round = 0; round < 12; ++round) {
    Session cut(plan);
    std::thread canceller([&cut, round] {
      std::this_thread::sleep_for(std::chrono::microseconds(400 * round));
      cut.cancel();
    });
    const StepsResult result = train(cut, 0, 3);
    canceller.join();
    check(result.cancelled == (result.steps < 3), "cancelled, and yet all steps");
    Session whole(plan);
    if (result.steps > 0) train(whole, 0, result.steps);
    check(state(cut) == state(whole), "a cut step left traces");
  }
}

void resumed_is_uninterrupted() {
  for (const bool sgd : {false, true}) {
    for (const int64_t before : {0, 5}) {
      const Folder folder;
      const Folder checkpoint;
      Plan plan = make_plan(folder);
      if (sgd) use_sgd(plan, 0.3);
      Session whole(plan);
      train(whole, 0, 9);
      Session first(plan);
      if (before > 0) train(first, 0, before);
      first.save_state(checkpoint.path);
      Session second(plan);
      train(second, 2, 2);  // to be overwritten
      second.load_state(checkpoint.path, false);
      train(second, before, 9 - before);
      check(state(second) == state(whole), "the resumed run is another");
    }
  }
}

void accumulation_equals_the_large_batch() {
  const Folder folder;
  Plan large = make_plan(folder);
  large.model.erase(large.model.begin() + 5);  // dropout draws other masks, BatchNorm sees other batches
  large.model.erase(large.model.begin() + 1);
  large.loss.args =
      Args({{"weight", {0.5, 1.0, 2.0, 0.1, 1.5}}, {"ignore_index", 3}, {"label_smoothing", 0.1}}, "loss");
  use_sgd(large, 0);
  Plan small = large;
  large.loader.batch_size = 32;
  small.accumulate = 4;
  Session a(large);
  Session b(small);
  const StepsResult one = train(a, 0, 3);
  const StepsResult four = train(b, 0, 3);
  check(one.columns.at("samples") == four.columns.at("samples"), "other samples");
  for (size_t i = 0; i < 3; ++i)
    check(std::abs(one.columns.at("loss")[i] - four.columns.at("loss")[i]) < 1e-5, "other losses");
}

void diagnosis_names_the_layer() {
  const Folder folder;
  Plan plan = make_plan(folder);
  plan.model = {layer("0", "Flatten", {64}, {{"start_dim", 1}, {"end_dim", -1}}),
                layer("1", "Linear", {4}, {{"in_features", 64}, {"out_features", 4}, {"bias", false}}),
                layer("2", "ReLU", {4}),
                layer("3", "Linear", {5}, {{"in_features", 4}, {"out_features", 5}, {"bias", false}})};
  Session session(plan);
  const auto load = [&](double first, double second) {
    at::Tensor small = at::full({4, 64}, first);
    small.narrow(1, 1, 63).zero_();
    at::Tensor large = at::full({5, 4}, second);
    large.narrow(0, 1, 4).zero_();
    write_safetensors(folder.path + "/w.safetensors", {{"1.weight", small}, {"3.weight", large}}, {});
    check(session.load_weights(folder.path + "/w.safetensors").matched.size() == 2, "weights not taken");
  };
  const auto expect = [&](const std::string& phase, const std::optional<std::string>& path) {
    const Diagnosis found = session.diagnose({0, 0});
    check(found.phase == phase && found.layer == path,
          "says " + found.phase + " at " + found.layer.value_or("nothing"));
  };
  load(3e38, 3e38);
  expect("forward", "3");
  load(std::numeric_limits<double>::infinity(), 1);
  expect("parameters", "1");
  load(1e-38, 3e38);
  expect("none", std::nullopt);
}

void diagnosis_follows_gradients() {
  const Folder folder;
  Plan plan = make_plan(folder);
  const auto linear = [](const std::string& path, int in, int out) {
    return layer(path, "Linear", {out}, {{"in_features", in}, {"out_features", out}, {"bias", false}});
  };
  plan.model = {layer("0", "Flatten", {64}, {{"start_dim", 1}, {"end_dim", -1}}), linear("1", 64, 4), layer("2", "ReLU", {4}),
                linear("3", 4, 4), layer("4", "ReLU", {4}), linear("5", 4, 5)};
  Session session(plan);
  // Tiny activations meet large weights: the scores stay finite, their gradient on the way back through layer 3 does not.
  at::Tensor first = at::zeros({4, 64});
  first.narrow(1, 0, 1).fill_(1e-38);
  at::Tensor last = at::zeros({5, 4});
  last.narrow(0, 0, 1).fill_(1e20);
  const std::string file = folder.path + "/w.safetensors";
  write_safetensors(file, {{"1.weight", first}, {"3.weight", at::full({4, 4}, 1e20)}, {"5.weight", last}}, {});
  check(session.load_weights(file).matched.size() == 3, "weights not taken");
  const Diagnosis found = session.diagnose({0, 0});
  check(found.phase == "backward" && found.layer == "3", "says " + found.phase + " at " + found.layer.value_or("nothing"));
}

void shapes_are_asserted() {
  const auto expect = [](Plan plan, const std::string& path) {
    Session session(std::move(plan));
    try {
      train(session, 0, 1);
    } catch (const Error& error) {
      check(error.code == "SHAPE_MISMATCH" && error.path == path,
            error.code + " at " + error.path + ": " + error.what());
      return;
    }
    throw std::runtime_error("no SHAPE_MISMATCH at " + path);
  };
  const Folder folder;
  Plan wrong_output = make_plan(folder);
  wrong_output.model[3].output = {8, 4, 3};
  expect(wrong_output, "3");
  Plan wrong_input = make_plan(folder);
  wrong_input.model[6].args = Args({{"in_features", 71}, {"out_features", 5}, {"bias", true}}, "6");
  expect(wrong_input, "6");
}

void foreign_checkpoint_changes_nothing() {
  const Folder folder;
  const Folder checkpoint;
  Plan plan = make_plan(folder);
  Session session(plan);
  Plan other_plan = plan;
  use_sgd(other_plan, 0);
  Session other(other_plan);
  train(other, 0, 2);
  other.save_state(checkpoint.path);
  const std::string before = state(session);
  try {
    session.load_state(checkpoint.path, false);
  } catch (const Error& error) {
    check(error.code == "WEIGHTS_MISMATCH", error.code);
    check(state(session) == before, "a refused checkpoint left traces");
    session.load_state(checkpoint.path, true);
    check(state(session) != before, "the model alone was not loaded");
    return;
  }
  throw std::runtime_error("another optimizer's state was taken");
}

constexpr Case cases[] = {
    {"no result depends on where a chunk is cut", chunks_do_not_matter},
    {"evaluate, predict and diagnose leave training untouched", looking_changes_nothing},
    {"a step that is not finite is void, and so are those after it", non_finite_step_is_void},
    {"a cancelled step is taken back", cancelled_step_is_taken_back},
    {"a resumed run is the uninterrupted one", resumed_is_uninterrupted},
    {"accumulation equals the large batch, with class weights and an ignored class",
     accumulation_equals_the_large_batch},
    {"diagnose names the layer", diagnosis_names_the_layer},
    {"diagnose follows gradients", diagnosis_follows_gradients},
    {"a shape that is not the planned one is named", shapes_are_asserted},
    {"a checkpoint of another project is refused whole", foreign_checkpoint_changes_nothing},
};

}  // namespace

std::span<const Case> session_cases() {
  return cases;
}

}  // namespace gradloom::test
