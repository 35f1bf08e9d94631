// A session's tensors to and from a checkpoint's files. Everything is compared before anything is changed.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <map>
#include <set>

#include "core/errors.h"
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

std::vector<Slot> model_slots(const Model& model) {
  std::vector<Slot> slots;
  for (const ModelTensor& entry : model.tensors()) slots.push_back({entry.name, entry.tensor.detach()});
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
  write_safetensors(folder + "/optimizer.safetensors",
                    has_state ? named(optimizer_slots(optimizer_)) : NamedTensors(), metadata);
  write_safetensors(folder + "/rng.safetensors", generators_.states(), metadata);
}

void Session::Impl::load_state(const std::string& folder, bool model_only) {
  const std::string model_file = folder + "/model.safetensors";
  const auto model_found = by_name(read_safetensors(model_file));
  const std::vector<Slot> model_wanted = model_slots(model_);
  const LoadReport model_report = compare(model_wanted, model_found);
  require_all(model_report, model_file);
  if (model_only) return copy(model_wanted, model_found, model_report);

  const std::string optimizer_file = folder + "/optimizer.safetensors";
  const auto optimizer_found = by_name(read_safetensors(optimizer_file));
  const bool not_started = optimizer_found.empty() && !optimizer_.state_before_start();
  const std::vector<Slot> optimizer_wanted = not_started ? std::vector<Slot>() : optimizer_slots(optimizer_);
  const LoadReport optimizer_report = compare(optimizer_wanted, optimizer_found);
  require_all(optimizer_report, optimizer_file);

  generators_.load(read_safetensors(folder + "/rng.safetensors"));
  copy(model_wanted, model_found, model_report);
  copy(optimizer_wanted, optimizer_found, optimizer_report);
  optimizer_.reread(!not_started);
}

LoadReport Session::Impl::load_weights(const std::string& file) {
  const auto found = by_name(read_safetensors(file));
  const std::vector<Slot> slots = model_slots(model_);
  const LoadReport report = compare(slots, found);
  copy(slots, found, report);
  return report;
}

}  // namespace gradloom
