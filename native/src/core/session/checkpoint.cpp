// A session's tensors to and from a checkpoint's files. Everything is compared before anything is changed.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <map>
#include <set>

#include "core/errors.h"
#include "core/files.h"
#include "core/session/impl.h"

namespace gradloom {

namespace {

const std::map<std::string, std::string> metadata = {{"format", "pt"}};

/// A tensor of the session and its name in a file.
struct Slot {
  std::string name;
  at::Tensor tensor;
};

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < 4; ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  return names.size() > 4 ? text + " and " + std::to_string(names.size() - 4) + " more" : text;
}

LoadReport compare(const std::vector<Slot>& slots, const std::map<std::string, at::Tensor>& found) {
  LoadReport report;
  std::set<std::string> known;
  for (const Slot& slot : slots) {
    known.insert(slot.name);
    const auto entry = found.find(slot.name);
    if (entry == found.end()) {
      report.missing.push_back(slot.name);
    } else if (entry->second.sizes() != slot.tensor.sizes()) {
      report.mismatched.push_back({slot.name, slot.tensor.sizes().vec(), entry->second.sizes().vec()});
    } else {
      report.matched.push_back(slot.name);
    }
  }
  for (const auto& [name, tensor] : found) {
    if (!known.contains(name)) report.unexpected.push_back(name);
  }
  return report;
}

void require_all(const LoadReport& report, const std::string& file) {
  std::vector<std::string> parts;
  std::vector<std::string> shapes;
  for (const ShapeDifference& difference : report.mismatched) shapes.push_back(difference.name);
  if (!report.missing.empty()) parts.push_back("lacks " + list(report.missing));
  if (!shapes.empty()) parts.push_back("has other shapes of " + list(shapes));
  if (!report.unexpected.empty()) parts.push_back("has unknown " + list(report.unexpected));
  if (parts.empty()) return;
  std::string what;
  for (const std::string& part : parts) {
    if (!what.empty()) what += "; ";
    what += part;
  }
  throw Error("WEIGHTS_MISMATCH", "The file does not belong to this model: it " + what + ".",
              "Use the project the checkpoint was made with.", file);
}

void copy(const std::vector<Slot>& slots, const std::map<std::string, at::Tensor>& found, const LoadReport& report) {
  const at::NoGradGuard no_grad;
  const std::set<std::string> matched(report.matched.begin(), report.matched.end());
  for (const Slot& slot : slots) {
    if (matched.contains(slot.name)) at::Tensor(slot.tensor).copy_(found.at(slot.name));
  }
}

std::map<std::string, at::Tensor> by_name(const NamedTensors& tensors) {
  return {tensors.begin(), tensors.end()};
}

/// A file of a checkpoint and the tensors it is for.
struct Part {
  std::vector<Slot> slots;
  std::map<std::string, at::Tensor> found;
  LoadReport report;
};

/// Throws WEIGHTS_MISMATCH unless they fit.
Part compared(const std::string& file, std::map<std::string, at::Tensor> found, std::vector<Slot> slots) {
  LoadReport report = compare(slots, found);
  require_all(report, file);
  return {std::move(slots), std::move(found), std::move(report)};
}

Part read_part(const std::string& file, std::vector<Slot> slots) {
  return compared(file, by_name(read_safetensors(file)), std::move(slots));
}

void apply(const Part& part) {
  copy(part.slots, part.found, part.report);
}

std::vector<Slot> slots_of(const std::vector<ModelTensor>& tensors) {
  std::vector<Slot> slots;
  for (const ModelTensor& entry : tensors) slots.push_back({entry.name, entry.tensor.detach()});
  return slots;
}

std::vector<Slot> model_slots(const Model& model) {
  return slots_of(model.tensors());
}

std::vector<Slot> scaler_slots(const LossScaler& scaler) {
  std::vector<Slot> slots;
  for (const auto& [name, tensor] : scaler.state()) slots.push_back({name, tensor});
  return slots;
}

std::vector<Slot> optimizer_slots(const ParameterGroups& optimizer) {
  std::vector<Slot> slots;
  for (const auto& [name, tensor] : optimizer.state()) slots.push_back({name, tensor});
  return slots;
}

NamedTensors named(const std::vector<Slot>& slots) {
  NamedTensors tensors;
  for (const Slot& slot : slots) tensors.emplace_back(slot.name, slot.tensor);
  return tensors;
}

}  // namespace

void Session::Impl::save_state(const std::string& folder) {
  write_safetensors(folder + "/model.safetensors", named(model_slots(model_)), metadata);
  const bool has_state = optimizer_.started() || optimizer_.state_before_start();
  write_safetensors(folder + "/optimizer.safetensors", has_state ? named(optimizer_slots(optimizer_)) : NamedTensors(),
                    metadata);
  write_safetensors(folder + "/rng.safetensors", generators_.states(), metadata);
  if (scaler_) write_safetensors(folder + "/scaler.safetensors", scaler_->state(), metadata);
  if (ema_ && ema_->started())
    write_safetensors(folder + "/ema.safetensors", named(slots_of(ema_->averages())), metadata);
}

void Session::Impl::load_state(const std::string& folder, bool model_only) {
  const std::string averages = folder + "/ema.safetensors";
  const bool has_averages = file_exists(averages);
  const bool averaged = ema_ && has_averages;
  const std::string model_file = model_only && has_averages ? averages : folder + "/model.safetensors";
  const Part model = read_part(model_file, model_slots(model_));
  if (model_only) return apply(model);

  const std::string optimizer_file = folder + "/optimizer.safetensors";
  auto optimizer_found = by_name(read_safetensors(optimizer_file));
  const bool not_started = optimizer_found.empty() && !optimizer_.state_before_start();
  const Part optimizer = compared(optimizer_file, std::move(optimizer_found),
                                  not_started ? std::vector<Slot>() : optimizer_slots(optimizer_));
  std::vector<Part> more;
  if (averaged) more.push_back(read_part(averages, slots_of(ema_->averages())));
  // A run that had no loss scaling before begins with the plan's scale.
  const std::string scaler_file = folder + "/scaler.safetensors";
  if (scaler_ && file_exists(scaler_file)) more.push_back(read_part(scaler_file, scaler_slots(*scaler_)));

  generators_.load(read_safetensors(folder + "/rng.safetensors"));
  apply(model);
  apply(optimizer);
  for (const Part& part : more) apply(part);
  optimizer_.reread(!not_started);
  if (ema_) ema_->set_started(averaged);
}

LoadReport Session::Impl::load_weights(const std::string& file) {
  const auto found = by_name(read_safetensors(file));
  const std::vector<Slot> slots = model_slots(model_);
  const LoadReport report = compare(slots, found);
  copy(slots, found, report);
  return report;
}

}  // namespace gradloom
