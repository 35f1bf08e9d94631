// Builds the JavaScript error from an Error's four fields.
#include "binding/errors.h"

#include "binding/environment.h"

namespace gradloom {

Napi::Value to_js_error(Napi::Env env, std::exception_ptr thrown) {
  const Error error = to_error(std::move(thrown));
  Napi::Object more = Napi::Object::New(env);
  if (!error.hint.empty()) more.Set("hint", error.hint);
  if (!error.path.empty()) more.Set("path", error.path);
  const Napi::FunctionReference& error_class = Environment::of(env).error_class;
  if (!error_class.IsEmpty()) {
    return error_class.New({Napi::String::New(env, error.code), Napi::String::New(env, error.what()), more});
  }
  Napi::Object plain = Napi::Error::New(env, error.what()).Value();
  plain.Set("code", error.code);
  if (!error.hint.empty()) plain.Set("hint", error.hint);
  if (!error.path.empty()) plain.Set("path", error.path);
  return plain;
}

}  // namespace gradloom
