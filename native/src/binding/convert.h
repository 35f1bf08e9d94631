// Requests from JavaScript objects and answers to them, field by field as engine/contract/native.ts has them.
#pragma once

#include <napi.h>

#include <nlohmann/json.hpp>

#include <vector>

#include "core/device_info.h"
#include "core/random_source.h"
#include "core/resize.h"
#include "core/session_types.h"
#include "core/transforms/samples.h"

namespace gradloom {

// Each throws BAD_CALL and names the field when the value is not of the contract's type.

std::string to_string(const Napi::Value& value, const char* what);
int64_t to_integer(const Napi::Value& value, const char* what);
bool flag_of(const Napi::Value& options, const char* name);
StepsRequest to_steps_request(const Napi::Value& value);
EvaluateRequest to_evaluate_request(const Napi::Value& value);
PredictRequest to_predict_request(const Napi::Value& value);
DiagnoseRequest to_diagnose_request(const Napi::Value& value);
LookRequest to_look_request(const Napi::Value& value);
RandomRequest to_random_request(const Napi::Value& value);
/// Its pixels lie in the value's own array, which must be kept.
ResizeRequest to_resize_request(const Napi::Value& value);
SamplesRequest to_samples_request(const Napi::Value& value);
/// Epoch and batch.
std::pair<int64_t, int64_t> to_position(const Napi::Value& value);

Napi::Value to_js(Napi::Env env, const StepsResult& result);
Napi::Value to_js(Napi::Env env, const EvaluateResult& result);
Napi::Value to_js(Napi::Env env, const PredictResult& result);
Napi::Value to_js(Napi::Env env, const Diagnosis& diagnosis);
Napi::Value to_js(Napi::Env env, const LookResult& result);
Napi::Value to_js(Napi::Env env, const MemoryReport& report);
Napi::Value to_js(Napi::Env env, const LoadReport& report);
Napi::Value to_js(Napi::Env env, const std::vector<DeviceInfo>& devices);
Napi::Value to_js(Napi::Env env, const Samples& samples);
Napi::Value to_js(Napi::Env env, const nlohmann::json& value);
/// Bytes as a Uint8Array.
Napi::Value to_js_bytes(Napi::Env env, const std::vector<uint8_t>& values);
/// Numbers as a Float64Array.
Napi::Value to_js_numbers(Napi::Env env, const std::vector<int64_t>& values);

}  // namespace gradloom
