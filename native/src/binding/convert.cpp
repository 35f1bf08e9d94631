// Typed arrays are copied into memory that the JavaScript engine owns: Electron forbids external ArrayBuffers.
#include "binding/convert.h"

#include <algorithm>
#include <cmath>

#include "core/errors.h"

namespace gradloom {

namespace {

[[noreturn]] void refuse(const std::string& what, const char* wanted) {
  throw Error("BAD_CALL", "Expected " + std::string(wanted) + " for " + what + ".", {}, what);
}

Napi::Object to_object(const Napi::Value& value, const char* what) {
  if (!value.IsObject()) refuse(what, "an object");
  return value.As<Napi::Object>();
}

int64_t integer_at(const Napi::Object& object, const char* name) {
  return to_integer(object.Get(name), name);
}

std::vector<double> numbers_at(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (value.IsUndefined()) return {};
  if (!value.IsArray()) refuse(name, "a list of numbers");
  const auto list = value.As<Napi::Array>();
  std::vector<double> numbers(list.Length());
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const Napi::Value number = list.Get(i);
    if (!number.IsNumber()) refuse(name, "a list of numbers");
    numbers[i] = number.As<Napi::Number>().DoubleValue();
  }
  return numbers;
}

std::vector<int64_t> integers_at(const Napi::Object& object, const char* name) {
  std::vector<int64_t> integers;
  for (const double number : numbers_at(object, name)) {
    if (number != std::floor(number) || std::abs(number) > 9007199254740991.0) refuse(name, "a list of integers");
    integers.push_back(static_cast<int64_t>(number));
  }
  return integers;
}

/// One value for each of `steps`, or none, in every column.
std::vector<GroupSchedule> groups_at(const Napi::Object& object, int64_t steps) {
  if (!object.Get("groups").IsArray()) refuse("groups", "a list of columns");
  const auto list = object.Get("groups").As<Napi::Array>();
  std::vector<GroupSchedule> groups;
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const Napi::Object group = to_object(list.Get(i), "groups");
    groups.push_back({numbers_at(group, "lr"), numbers_at(group, "momentum"), numbers_at(group, "weight_decay")});
    for (const auto* column : {&groups.back().lr, &groups.back().momentum, &groups.back().weight_decay}) {
      if (!column->empty() && static_cast<int64_t>(column->size()) < steps) refuse("groups", "one value for each step");
    }
  }
  return groups;
}

template <typename Array, typename T>
Array to_typed_array(Napi::Env env, const std::vector<T>& values) {
  Array array = Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

Napi::Value or_null(Napi::Env env, const std::optional<int64_t>& value) {
  return value ? Napi::Number::New(env, static_cast<double>(*value)) : env.Null();
}

Napi::Value or_null(Napi::Env env, const std::optional<double>& value) {
  return value ? Napi::Number::New(env, *value) : env.Null();
}

Napi::Value or_null(Napi::Env env, const std::optional<std::string>& value) {
  return value ? Napi::String::New(env, *value) : env.Null();
}

template <typename T, typename Convert>
Napi::Array to_list(Napi::Env env, const std::vector<T>& values, const Convert& convert) {
  Napi::Array list = Napi::Array::New(env, values.size());
  for (size_t i = 0; i < values.size(); ++i) list.Set(static_cast<uint32_t>(i), convert(values[i]));
  return list;
}

Napi::Array to_strings(Napi::Env env, const std::vector<std::string>& values) {
  return to_list(env, values, [&](const std::string& value) { return Napi::String::New(env, value); });
}

Napi::Array to_dims(Napi::Env env, const std::vector<int64_t>& values) {
  return to_list(env, values, [&](int64_t value) { return Napi::Number::New(env, static_cast<double>(value)); });
}

Napi::Object to_counts(Napi::Env env, const ValueCounts& counts) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("elements", static_cast<double>(counts.elements));
  object.Set("nan", static_cast<double>(counts.nan));
  object.Set("positive_infinity", static_cast<double>(counts.positive_infinity));
  object.Set("negative_infinity", static_cast<double>(counts.negative_infinity));
  object.Set("min", or_null(env, counts.min));
  object.Set("max", or_null(env, counts.max));
  return object;
}

}  // namespace

std::string to_string(const Napi::Value& value, const char* what) {
  if (!value.IsString()) refuse(what, "a string");
  return value.As<Napi::String>().Utf8Value();
}

int64_t to_integer(const Napi::Value& value, const char* what) {
  if (!value.IsNumber()) refuse(what, "an integer");
  const double number = value.As<Napi::Number>().DoubleValue();
  if (number != std::floor(number) || std::abs(number) > 9007199254740991.0) refuse(what, "an integer");
  return static_cast<int64_t>(number);
}

bool flag_of(const Napi::Value& options, const char* name) {
  const Napi::Value value = to_object(options, "options").Get(name);
  if (!value.IsBoolean()) refuse(name, "true or false");
  return value.As<Napi::Boolean>().Value();
}

StepsRequest to_steps_request(const Napi::Value& value) {
  const Napi::Object object = to_object(value, "request");
  StepsRequest request{integer_at(object, "epoch"), integer_at(object, "batch"), integer_at(object, "steps"), {}};
  request.groups = groups_at(object, request.steps);
  if (!object.Get("peaks").IsUndefined()) request.peaks = flag_of(value, "peaks");
  return request;
}

DiagnoseRequest to_diagnose_request(const Napi::Value& value) {
  const Napi::Object object = to_object(value, "request");
  DiagnoseRequest request{integer_at(object, "epoch"), integer_at(object, "batch"), 1, {}};
  if (!object.Get("batches").IsUndefined()) request.batches = integer_at(object, "batches");
  if (!object.Get("groups").IsUndefined()) request.groups = groups_at(object, 1);
  return request;
}

EvaluateRequest to_evaluate_request(const Napi::Value& value) {
  const Napi::Object object = to_object(value, "request");
  return {to_string(object.Get("split"), "split"), integer_at(object, "batch_size"), flag_of(value, "confusion")};
}

PredictRequest to_predict_request(const Napi::Value& value) {
  const Napi::Object object = to_object(value, "request");
  return {to_string(object.Get("split"), "split"), integer_at(object, "start"), integer_at(object, "count")};
}

LookRequest to_look_request(const Napi::Value& value) {
  const Napi::Object object = to_object(value, "request");
  LookRequest request{to_string(object.Get("split"), "split"), integer_at(object, "index"), flag_of(value, "statistics")};
  if (!object.Get("values").IsArray()) refuse("values", "a list of layers");
  const auto list = object.Get("values").As<Napi::Array>();
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const Napi::Object layer = to_object(list.Get(i), "values");
    request.values.push_back({to_string(layer.Get("path"), "path"), integers_at(layer, "steps")});
  }
  return request;
}

RandomRequest to_random_request(const Napi::Value& value) {
  const Napi::Object object = to_object(value, "request");
  RandomRequest request;
  request.shape = integers_at(object, "shape");
  if (!object.Get("classes").IsNull()) request.classes = integer_at(object, "classes");
  if (object.Has("tokens") && !object.Get("tokens").IsNull()) request.tokens = integer_at(object, "tokens");
  if (object.Has("targets")) request.targets = to_string(object.Get("targets"), "targets");
  request.target_shape = integers_at(object, "target_shape");
  request.samples = integer_at(object, "samples");
  request.seed = static_cast<uint64_t>(integer_at(object, "seed"));
  request.input = to_string(object.Get("input"), "input");
  request.target = to_string(object.Get("target"), "target");
  return request;
}

ResizeRequest to_resize_request(const Napi::Value& value) {
  const Napi::Object object = to_object(value, "request");
  ResizeRequest request;
  if (!object.Get("pixels").IsTypedArray()) refuse("pixels", "a Uint8Array");
  const auto pixels = object.Get("pixels").As<Napi::Uint8Array>();
  request.pixels = pixels.Data();
  request.size = pixels.ByteLength();
  request.height = integer_at(object, "height");
  request.width = integer_at(object, "width");
  request.channels = integer_at(object, "channels");
  request.bytes = integer_at(object, "bytes");
  request.orientation = integer_at(object, "orientation");
  const std::vector<int64_t> resized = integers_at(object, "resized");
  const std::vector<int64_t> window = integers_at(object, "window");
  if (resized.size() != request.resized.size()) refuse("resized", "a height and a width");
  if (window.size() != request.window.size()) refuse("window", "a top, a left, a height and a width");
  std::copy(resized.begin(), resized.end(), request.resized.begin());
  std::copy(window.begin(), window.end(), request.window.begin());
  request.nearest = flag_of(value, "nearest");
  request.fill = integers_at(object, "fill");
  return request;
}

SamplesRequest to_samples_request(const Napi::Value& value) {
  const Napi::Object object = to_object(value, "request");
  SamplesRequest request = parse_samples_request(to_string(object.Get("request"), "request"));
  const auto floats = [&](const char* name) {
    if (!object.Get(name).IsTypedArray() ||
        object.Get(name).As<Napi::TypedArray>().TypedArrayType() != napi_float32_array)
      refuse(name, "a Float32Array");
    const auto array = object.Get(name).As<Napi::Float32Array>();
    return std::vector<float>(array.Data(), array.Data() + array.ElementLength());
  };
  request.values = floats("values");
  if (object.Has("masks") && !object.Get("masks").IsNull()) request.masks = floats("masks");
  return request;
}

std::pair<int64_t, int64_t> to_position(const Napi::Value& value) {
  const Napi::Object object = to_object(value, "request");
  return {integer_at(object, "epoch"), integer_at(object, "batch")};
}

Napi::Value to_js(Napi::Env env, const StepsResult& result) {
  Napi::Object columns = Napi::Object::New(env);
  for (const auto& [name, values] : result.columns) columns.Set(name, to_typed_array<Napi::Float64Array>(env, values));
  Napi::Object seconds = Napi::Object::New(env);
  seconds.Set("data", result.seconds.data);
  seconds.Set("copy", result.seconds.copy);
  seconds.Set("forward", result.seconds.forward);
  seconds.Set("backward", result.seconds.backward);
  seconds.Set("optimizer", result.seconds.optimizer);
  seconds.Set("other", result.seconds.other);
  seconds.Set("total", result.seconds.total);
  Napi::Object object = Napi::Object::New(env);
  object.Set("steps", static_cast<double>(result.steps));
  object.Set("cancelled", result.cancelled);
  object.Set("non_finite", result.non_finite);
  Napi::Object counts = Napi::Object::New(env);
  for (const auto& [name, values] : result.counts) counts.Set(name, to_typed_array<Napi::Float64Array>(env, values));
  object.Set("columns", columns);
  object.Set("counts", counts);
  object.Set("seconds", seconds);
  if (result.peaks) {
    Napi::Object peaks = Napi::Object::New(env);
    peaks.Set("forward", result.peaks->forward);
    peaks.Set("backward", result.peaks->backward);
    peaks.Set("optimizer", result.peaks->optimizer);
    peaks.Set("held", result.peaks->held);
    object.Set("peaks", peaks);
  }
  return object;
}

Napi::Value to_js(Napi::Env env, const EvaluateResult& result) {
  Napi::Object metrics = Napi::Object::New(env);
  for (const auto& [name, value] : result.metrics) metrics.Set(name, value);
  Napi::Object object = Napi::Object::New(env);
  object.Set("loss", result.loss);
  object.Set("samples", static_cast<double>(result.samples));
  object.Set("metrics", metrics);
  if (result.confusion) object.Set("confusion", to_typed_array<Napi::Float64Array>(env, *result.confusion));
  object.Set("cancelled", result.cancelled);
  return object;
}

Napi::Value to_js(Napi::Env env, const PredictResult& result) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("logits", to_typed_array<Napi::Float32Array>(env, result.logits));
  object.Set("probabilities", to_typed_array<Napi::Float32Array>(env, result.probabilities));
  object.Set("width", static_cast<double>(result.width));
  object.Set("targets", to_typed_array<Napi::Float64Array>(env, result.targets));
  return object;
}

Napi::Value to_js(Napi::Env env, const Diagnosis& diagnosis) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("phase", diagnosis.phase);
  object.Set("layer", or_null(env, diagnosis.layer));
  object.Set("kind", or_null(env, diagnosis.kind));
  object.Set("tensor", or_null(env, diagnosis.tensor));
  object.Set("batch", or_null(env, diagnosis.batch));
  object.Set("values", env.Null());
  if (!diagnosis.values) return object;
  object.Set("values", to_counts(env, *diagnosis.values));
  return object;
}

Napi::Value to_js(Napi::Env env, const LookResult& result) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("target", or_null(env, result.target));
  object.Set("layers", to_list(env, result.layers, [&](const LookedLayer& layer) {
               Napi::Object row = Napi::Object::New(env);
               row.Set("path", layer.path);
               row.Set("shape", to_dims(env, layer.shape));
               Napi::Object statistics = to_counts(env, layer.statistics);
               statistics.Set("mean", or_null(env, layer.statistics.mean));
               statistics.Set("std", or_null(env, layer.statistics.std));
               statistics.Set("zeros", static_cast<double>(layer.statistics.zeros));
               statistics.Set("zero_slices", to_dims(env, layer.statistics.zero_slices));
               row.Set("statistics", statistics);
               if (layer.values) row.Set("values", to_typed_array<Napi::Float32Array>(env, *layer.values));
               return row;
             }));
  return object;
}

Napi::Value to_js(Napi::Env env, const MemoryReport& report) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("allocated", static_cast<double>(report.allocated));
  object.Set("reserved", static_cast<double>(report.reserved));
  object.Set("peak", static_cast<double>(report.peak));
  object.Set("device_free", or_null(env, report.device_free));
  object.Set("device_total", or_null(env, report.device_total));
  return object;
}

Napi::Value to_js(Napi::Env env, const LoadReport& report) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("matched", to_strings(env, report.matched));
  object.Set("missing", to_strings(env, report.missing));
  object.Set("unexpected", to_strings(env, report.unexpected));
  object.Set("mismatched", to_list(env, report.mismatched, [&](const ShapeDifference& difference) {
               Napi::Object row = Napi::Object::New(env);
               row.Set("name", difference.name);
               row.Set("expected", to_dims(env, difference.expected));
               row.Set("found", to_dims(env, difference.found));
               return row;
             }));
  return object;
}

Napi::Value to_js(Napi::Env env, const std::vector<DeviceInfo>& devices) {
  return to_list(env, devices, [&](const DeviceInfo& device) {
    Napi::Object row = Napi::Object::New(env);
    row.Set("name", device.name);
    row.Set("label", device.label);
    row.Set("memory_total", or_null(env, device.memory_total));
    row.Set("memory_free", or_null(env, device.memory_free));
    row.Set("capability", or_null(env, device.capability));
    row.Set("half", to_strings(env, device.half));
    return row;
  });
}

Napi::Value to_js(Napi::Env env, const Samples& samples) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("dims", to_js(env, nlohmann::json(samples.shape)));
  object.Set("values", to_typed_array<Napi::Float32Array>(env, samples.values));
  object.Set("masks",
             samples.masks.empty() ? env.Null() : to_typed_array<Napi::Float32Array>(env, samples.masks));
  return object;
}

Napi::Value to_js(Napi::Env env, const nlohmann::json& value) {
  const auto parse = env.Global().Get("JSON").As<Napi::Object>().Get("parse").As<Napi::Function>();
  return parse.Call({Napi::String::New(env, value.dump())});
}

Napi::Value to_js_bytes(Napi::Env env, const std::vector<uint8_t>& values) {
  return to_typed_array<Napi::Uint8Array>(env, values);
}

Napi::Value to_js_numbers(Napi::Env env, const std::vector<int64_t>& values) {
  return to_typed_array<Napi::Float64Array>(env, values);
}

}  // namespace gradloom
