// Parses the native plan. TypeScript has checked the project; what fails here is a malformed call, answered with its
// place.
#include "core/plan.h"

#include "core/errors.h"

#include <utility>

namespace gradloom {

using nlohmann::json;

Args::Args(json values, std::string where) : values_(std::move(values)), where_(std::move(where)) {
  if (!values_.is_object()) fail("", "an object");
}

void Args::fail(std::string_view name, const std::string& wanted) const {
  const std::string place = name.empty() ? where_ : where_ + "." + std::string(name);
  throw Error("BAD_CALL", "The plan needs " + wanted + " at " + place + ".",
              "Plan the project again with this version.", place);
}

bool Args::absent(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->is_null();
}

bool Args::is_string(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->is_string();
}

const json& Args::at(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) fail(name, "a value");
  return *found;
}

double Args::number(std::string_view name) const {
  const json& value = at(name);
  if (!value.is_number()) fail(name, "a number");
  return value.get<double>();
}

int64_t Args::integer(std::string_view name) const {
  const json& value = at(name);
  if (!value.is_number_integer()) fail(name, "an integer");
  return value.get<int64_t>();
}

bool Args::flag(std::string_view name) const {
  const json& value = at(name);
  if (!value.is_boolean()) fail(name, "true or false");
  return value.get<bool>();
}

std::string Args::string(std::string_view name) const {
  const json& value = at(name);
  if (!value.is_string()) fail(name, "a string");
  return value.get<std::string>();
}

std::vector<double> Args::numbers(std::string_view name) const {
  std::vector<double> result;
  for (const json& value : at(name)) {
    if (!value.is_number()) fail(name, "numbers");
    result.push_back(value.get<double>());
  }
  return result;
}

std::vector<int64_t> Args::integers(std::string_view name) const {
  const json& values = at(name);
  if (values.is_number_integer()) return {values.get<int64_t>()};
  if (!values.is_array()) fail(name, "integers");
  std::vector<int64_t> result;
  for (const json& value : values) {
    if (!value.is_number_integer()) fail(name, "integers");
    result.push_back(value.get<int64_t>());
  }
  return result;
}

std::vector<int64_t> Args::pair(std::string_view name) const {
  std::vector<int64_t> result = integers(name);
  if (result.size() == 1) result.push_back(result.front());
  if (result.size() != 2) fail(name, "an integer or two");
  return result;
}

Args Args::with(std::string_view name, json value) const {
  json values = values_;
  values[std::string(name)] = std::move(value);
  return {std::move(values), where_};
}

namespace {

Args object_at(const json& object, const std::string& name, const std::string& where) {
  const auto found = object.find(name);
  return Args(found == object.end() ? json() : *found, where.empty() ? name : where + "." + name);
}

const json& array_at(const json& object, const std::string& name, const std::string& where) {
  const auto found = object.find(name);
  if (found != object.end() && found->is_array()) return *found;
  const std::string place = where.empty() ? name : where + "." + name;
  throw Error("BAD_CALL", "The plan needs a list at " + place + ".", "Plan the project again with this version.",
              place);
}

KindPlan parse_kind(const json& value, const std::string& where) {
  return {Args(value, where).string("kind"), object_at(value, "args", where)};
}

std::vector<LayerPlan> parse_layers(const json& layers, const std::string& where);

LayerPlan parse_layer(const json& value, const std::string& where) {
  const Args fields(value, where);
  LayerPlan layer{
      fields.string("path"), fields.string("kind"), object_at(value, "args", where), fields.integers("output"), {}};
  if (fields.absent("children")) return layer;
  const std::string place = where + ".children";
  for (const json& child : array_at(value, "children", where)) {
    layer.children.push_back(
        {Args(child, place).string("name"), parse_layers(array_at(child, "layers", place), place)});
  }
  return layer;
}

std::vector<LayerPlan> parse_layers(const json& layers, const std::string& where) {
  std::vector<LayerPlan> result;
  for (const json& layer : layers) result.push_back(parse_layer(layer, where + "." + std::to_string(result.size())));
  return result;
}

std::vector<std::string> parse_names(const json& object, const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (const json& value : array_at(object, name, where)) names.push_back(value.get<std::string>());
  return names;
}

GroupPlan parse_group(const json& value, const std::string& where) {
  const Args fields(value, where);
  GroupPlan group{parse_names(value, "tensors", where), fields.number("lr"), {}};
  if (!fields.absent("weight_decay")) group.weight_decay = fields.number("weight_decay");
  return group;
}

Target parse_target(const std::string& name) {
  if (name == "class") return Target::classes;
  if (name == "multi_label") return Target::multi_label;
  if (name == "vector") return Target::vector;
  if (name == "mask") return Target::mask;
  if (name == "next_token") return Target::next_token;
  throw Error("BAD_CALL", "There are no targets of the kind " + name + ".", {}, "target");
}

ColumnType parse_column_type(const std::string& name, const std::string& where) {
  if (name == "uint8") return ColumnType::uint8;
  if (name == "uint16") return ColumnType::uint16;
  if (name == "float32") return ColumnType::float32;
  if (name == "int64") return ColumnType::int64;
  throw Error("BAD_CALL", "No column has the type " + name + ".", "Use uint8, uint16, float32 or int64.", where + ".dtype");
}

ColumnPlan parse_column(const json& part, const std::string& name, const std::string& where) {
  const Args column = object_at(part, name, where);
  const std::string place = where + "." + name;
  return {column.string("path"), parse_column_type(column.string("dtype"), place), column.integers("shape"),
          column.flag("scaled")};
}

void parse_data(const json& data, Plan& plan) {
  for (const auto& [name, part] : data.at("parts").items()) {
    const std::string where = "data.parts." + name;
    plan.parts[name] = {Args(part, where).integer("count"), parse_column(part, "input", where),
                        parse_column(part, "target", where)};
  }
  for (const auto& [name, split] : data.at("splits").items()) {
    const Args fields(split, "data.splits." + name);
    SplitPlan parsed{fields.string("part"), fields.integer("count"), {}};
    if (!fields.absent("indices")) parsed.indices = fields.string("indices");
    plan.splits[name] = parsed;
  }
}

Precision parse_precision(const std::string& name) {
  if (name == "fp32") return Precision::fp32;
  if (name == "bf16") return Precision::bf16;
  if (name == "fp16") return Precision::fp16;
  throw Error("BAD_CALL", "There is no precision called " + name + ".", "Use fp32, bf16 or fp16.", "precision");
}

/// How the session calculates.
void parse_numbers(const json& value, const Args& fields, Plan& plan) {
  if (!fields.absent("clip_grad_norm")) plan.clip_grad_norm = fields.number("clip_grad_norm");
  if (!fields.absent("clip_grad_value")) plan.clip_grad_value = fields.number("clip_grad_value");
  plan.precision = parse_precision(fields.string("precision"));
  plan.tf32 = fields.flag("tf32");
  if (!fields.absent("loss_scale")) {
    const Args scale = object_at(value, "loss_scale", "");
    plan.loss_scale = {scale.number("init_scale"), scale.number("growth_factor"), scale.number("backoff_factor"),
                       scale.integer("growth_interval")};
  }
  for (const json& path : array_at(value, "activation_checkpointing", ""))
    plan.activation_checkpointing.push_back(path.get<std::string>());
  if (!fields.absent("ema")) plan.ema_decay = object_at(value, "ema", "").number("decay");
}

Sampler parse_sampler(const std::string& name) {
  if (name == "shuffle") return Sampler::shuffle;
  if (name == "balanced") return Sampler::balanced;
  if (name == "weighted") return Sampler::weighted;
  throw Error("BAD_CALL", "There is no sampler called " + name + ".", "Use shuffle, balanced or weighted.",
              "loader.sampler");
}

LoaderPlan parse_loader(const Args& loader) {
  LoaderPlan plan;
  plan.batch_size = loader.integer("batch_size");
  plan.shuffle = loader.flag("shuffle");
  plan.drop_last = loader.flag("drop_last");
  plan.num_workers = loader.integer("num_workers");
  plan.pin_memory = loader.flag("pin_memory");
  plan.persistent_workers = loader.flag("persistent_workers");
  plan.prefetch_factor = loader.integer("prefetch_factor");
  if (!loader.absent("sampler")) plan.sampler = parse_sampler(loader.string("sampler"));
  if (!loader.absent("class_weights")) plan.class_weights = loader.numbers("class_weights");
  if (!loader.absent("padding")) plan.padding = loader.integer("padding");
  if (!loader.absent("shortest")) plan.shortest = loader.integer("shortest");
  return plan;
}

}  // namespace

std::vector<KindPlan> parse_transforms(const json& value) {
  std::vector<KindPlan> transforms;
  for (const json& transform : array_at(value, "transforms", ""))
    transforms.push_back(parse_kind(transform, "transforms." + std::to_string(transforms.size())));
  return transforms;
}

Plan parse_plan(const json& value) {
  try {
    const Args fields(value, "plan");
    Plan plan;
    plan.seed = static_cast<uint64_t>(fields.integer("seed"));
    plan.deterministic = fields.flag("deterministic");
    plan.device = fields.string("device");
    if (!fields.absent("threads")) plan.threads = fields.integer("threads");
    plan.input = fields.integers("input");
    plan.model = parse_layers(array_at(value, "model", ""), "model");
    plan.loss = parse_kind(value.at("loss"), "loss");
    plan.optimizer = parse_kind(value.at("optimizer"), "optimizer");
    for (const json& group : array_at(value, "groups", "")) plan.groups.push_back(parse_group(group, "groups"));
    plan.frozen = parse_names(value, "frozen", "");
    if (!fields.absent("mixup")) plan.mixup = object_at(value, "mixup", "").number("alpha");
    if (!fields.absent("cutmix")) plan.cutmix = object_at(value, "cutmix", "").number("alpha");
    if (!fields.absent("inits")) {
      for (const json& init : array_at(value, "inits", "")) {
        KindPlan kind = parse_kind(init, "inits");
        plan.inits.push_back({Args(init, "inits").string("tensor"), kind.kind, kind.args});
      }
    }
    if (!fields.absent("untrained")) plan.untrained = fields.flag("untrained");
    plan.target = parse_target(fields.string("target"));
    for (const json& metric : array_at(value, "metrics", "")) {
      const std::string where = "metrics." + std::to_string(plan.metrics.size());
      plan.metrics.push_back({Args(metric, where).string("key"), Args(metric, where).string("kind"),
                              object_at(metric, "args", where)});
    }
    plan.accumulate = fields.integer("accumulate");
    parse_numbers(value, fields, plan);
    plan.transforms = parse_transforms(value);
    parse_data(value.at("data"), plan);
    plan.loader = parse_loader(object_at(value, "loader", ""));
    return plan;
  } catch (const json::exception& error) {
    throw Error("BAD_CALL", std::string("The plan is malformed: ") + error.what(),
                "Plan the project again with this version.", "plan");
  }
}

}  // namespace gradloom
