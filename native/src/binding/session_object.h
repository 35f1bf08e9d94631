// The JavaScript object that stands for a session (NativeSession of engine/contract/native.ts).
#pragma once

#include <napi.h>

#include <memory>

#include "binding/session_thread.h"

namespace gradloom {

class SessionObject : public Napi::ObjectWrap<SessionObject> {
 public:
  static Napi::Function define(Napi::Env env);

  /// `createSession(plan)`: a promise of the object, once the session is built.
  static Napi::Value create(const Napi::CallbackInfo& info);

  explicit SessionObject(const Napi::CallbackInfo& info);
  /// Collected without `close`: nothing runs then, for a running call holds the object.
  ~SessionObject() override;

 private:
  Napi::Value train_steps(const Napi::CallbackInfo& info);
  Napi::Value evaluate(const Napi::CallbackInfo& info);
  Napi::Value predict(const Napi::CallbackInfo& info);
  Napi::Value diagnose(const Napi::CallbackInfo& info);
  Napi::Value look(const Napi::CallbackInfo& info);
  Napi::Value save_batch(const Napi::CallbackInfo& info);
  Napi::Value save_state(const Napi::CallbackInfo& info);
  Napi::Value load_state(const Napi::CallbackInfo& info);
  Napi::Value load_weights(const Napi::CallbackInfo& info);
  Napi::Value memory(const Napi::CallbackInfo& info);
  Napi::Value cancel(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  template <typename Parse, typename Run>
  Napi::Value call(const Napi::CallbackInfo& info, const Parse& parse, const Run& run);

  /// Holds object and event loop until the answer has been given.
  void expect_answer(Napi::Env env);
  void answered(Napi::Env env);

  std::shared_ptr<SessionThread> thread_;
};

}  // namespace gradloom
