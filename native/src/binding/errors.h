// Native errors as JavaScript ones, in one place.
#pragma once

#include <napi.h>

#include <exception>

#include "core/errors.h"

namespace gradloom {

/// A GradloomError when its class was handed over, else an Error, with `code`, `hint` and `path`.
Napi::Value to_js_error(Napi::Env env, std::exception_ptr thrown);

/// Runs a synchronous entry; whatever native code throws becomes a typed JavaScript exception.
template <typename Entry>
Napi::Value guarded(const Napi::CallbackInfo& info, const Entry& entry) {
  try {
    return entry();
  } catch (const Napi::Error&) {
    throw;
  } catch (...) {
    throw Napi::Error(info.Env(), to_js_error(info.Env(), std::current_exception()));
  }
}

/// Runs an entry that answers by a promise; whatever native code throws before there is an answer rejects it.
template <typename Entry>
Napi::Value promised(const Napi::CallbackInfo& info, const Entry& entry) {
  const auto deferred = Napi::Promise::Deferred::New(info.Env());
  try {
    entry(deferred);
  } catch (const Napi::Error& error) {
    deferred.Reject(error.Value());
  } catch (...) {
    deferred.Reject(to_js_error(info.Env(), std::current_exception()));
  }
  return deferred.Promise();
}

}  // namespace gradloom
