// Each method reads its request on the JavaScript thread, runs on the session's, and answers a promise back on the
// first.
#include "binding/session_object.h"

#include <type_traits>
#include <utility>

#include "binding/convert.h"
#include "binding/environment.h"
#include "binding/errors.h"

namespace gradloom {

namespace {

using Deferred = Napi::Promise::Deferred;

/// Resolves with what `value` makes, or rejects when making it fails.
template <typename Make>
void resolve(Napi::Env env, const Deferred& deferred, const Make& make) {
  try {
    deferred.Resolve(make());
  } catch (const Napi::Error& error) {
    deferred.Reject(error.Value());
  } catch (...) {
    deferred.Reject(to_js_error(env, std::current_exception()));
  }
}

}  // namespace

Napi::Function SessionObject::define(Napi::Env env) {
  return DefineClass(env, "Session",
                     {
                         InstanceMethod<&SessionObject::train_steps>("trainSteps"),
                         InstanceMethod<&SessionObject::evaluate>("evaluate"),
                         InstanceMethod<&SessionObject::predict>("predict"),
                         InstanceMethod<&SessionObject::diagnose>("diagnose"),
                         InstanceMethod<&SessionObject::look>("look"),
                         InstanceMethod<&SessionObject::save_batch>("saveBatch"),
                         InstanceMethod<&SessionObject::save_state>("saveState"),
                         InstanceMethod<&SessionObject::load_state>("loadState"),
                         InstanceMethod<&SessionObject::load_weights>("loadWeights"),
                         InstanceMethod<&SessionObject::memory>("memory"),
                         InstanceMethod<&SessionObject::cancel>("cancel"),
                         InstanceMethod<&SessionObject::close>("close"),
                     });
}

Napi::Value SessionObject::create(const Napi::CallbackInfo& info) {
  return promised(info, [&](const Deferred& deferred) {
    Environment& environment = Environment::of(info.Env());
    std::string plan = to_string(info[0], "plan");
    // The thread may be done building before its own handle is stored; the JavaScript thread, which reads it, is busy
    // here until then.
    const auto handle = std::make_shared<std::shared_ptr<SessionThread>>();
    *handle = environment.start_session(std::move(plan), [&environment, handle, deferred](std::exception_ptr failure) {
      environment.post([&environment, handle, deferred, failure](Napi::Env env) {
        environment.answered();
        if (failure) {
          environment.forget_session(*handle);
          deferred.Reject(to_js_error(env, failure));
        } else {
          resolve(env, deferred, [&] {
            return environment.session_class.New(
                {Napi::External<std::shared_ptr<SessionThread>>::New(env, handle.get())});
          });
        }
        handle->reset();
      });
    });
    environment.expect_answer();
  });
}

SessionObject::SessionObject(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  if (!info[0].IsExternal()) throw Napi::TypeError::New(info.Env(), "Sessions are made by createSession.");
  thread_ = *info[0].As<Napi::External<std::shared_ptr<SessionThread>>>().Data();
}

SessionObject::~SessionObject() {
  if (thread_ == nullptr) return;
  thread_->stop();
  if (auto* const environment = Napi::Env(Env()).GetInstanceData<Environment>()) environment->forget_session(thread_);
}

void SessionObject::expect_answer(Napi::Env env) {
  Ref();
  Environment::of(env).expect_answer();
}

void SessionObject::answered(Napi::Env env) {
  Environment::of(env).answered();
  Unref();
}

template <typename Parse, typename Run>
Napi::Value SessionObject::call(const Napi::CallbackInfo& info, const Parse& parse, const Run& run) {
  return promised(info, [&](const Deferred& deferred) {
    Environment& environment = Environment::of(info.Env());
    SessionThread::Call call;
    call.run = [this, &environment, deferred, run, request = parse()](Session& session) {
      using Result = std::invoke_result_t<Run, Session&, decltype(request)>;
      if constexpr (std::is_void_v<Result>) {
        run(session, request);
        environment.post([this, deferred](Napi::Env env) {
          answered(env);
          deferred.Resolve(env.Undefined());
        });
      } else {
        environment.post([this, deferred, result = run(session, request)](Napi::Env env) {
          answered(env);
          resolve(env, deferred, [&] { return to_js(env, result); });
        });
      }
    };
    call.fail = [this, &environment, deferred](std::exception_ptr thrown) {
      environment.post([this, deferred, thrown](Napi::Env env) {
        answered(env);
        deferred.Reject(to_js_error(env, thrown));
      });
    };
    if (!thread_->submit(std::move(call))) throw Error("CLOSED", "The session has ended.", "Start a new one.");
    expect_answer(info.Env());
  });
}

Napi::Value SessionObject::train_steps(const Napi::CallbackInfo& info) {
  return call(
      info, [&] { return to_steps_request(info[0]); },
      [](Session& session, const StepsRequest& request) { return session.train_steps(request); });
}

Napi::Value SessionObject::evaluate(const Napi::CallbackInfo& info) {
  return call(
      info, [&] { return to_evaluate_request(info[0]); },
      [](Session& session, const EvaluateRequest& request) { return session.evaluate(request); });
}

Napi::Value SessionObject::predict(const Napi::CallbackInfo& info) {
  return call(
      info, [&] { return to_predict_request(info[0]); },
      [](Session& session, const PredictRequest& request) { return session.predict(request); });
}

Napi::Value SessionObject::diagnose(const Napi::CallbackInfo& info) {
  return call(
      info, [&] { return to_diagnose_request(info[0]); },
      [](Session& session, const DiagnoseRequest& request) { return session.diagnose(request); });
}

Napi::Value SessionObject::look(const Napi::CallbackInfo& info) {
  return call(
      info, [&] { return to_look_request(info[0]); },
      [](Session& session, const LookRequest& request) { return session.look(request); });
}

Napi::Value SessionObject::save_batch(const Napi::CallbackInfo& info) {
  return call(
      info, [&] { return std::pair(to_position(info[0]), to_string(info[1], "file")); },
      [](Session& session, const std::pair<std::pair<int64_t, int64_t>, std::string>& request) {
        session.save_batch(request.first.first, request.first.second, request.second);
      });
}

Napi::Value SessionObject::save_state(const Napi::CallbackInfo& info) {
  return call(
      info, [&] { return to_string(info[0], "folder"); },
      [](Session& session, const std::string& folder) { session.save_state(folder); });
}

Napi::Value SessionObject::load_state(const Napi::CallbackInfo& info) {
  return call(
      info, [&] { return std::pair(to_string(info[0], "folder"), flag_of(info[1], "model_only")); },
      [](Session& session, const std::pair<std::string, bool>& request) {
        session.load_state(request.first, request.second);
      });
}

Napi::Value SessionObject::load_weights(const Napi::CallbackInfo& info) {
  return call(
      info, [&] { return to_string(info[0], "file"); },
      [](Session& session, const std::string& file) { return session.load_weights(file); });
}

Napi::Value SessionObject::memory(const Napi::CallbackInfo& info) {
  return call(
      info, [&] { return flag_of(info[0], "reset_peak"); },
      [](Session& session, bool reset_peak) { return session.memory(reset_peak); });
}

Napi::Value SessionObject::cancel(const Napi::CallbackInfo& info) {
  thread_->cancel();
  return info.Env().Undefined();
}

Napi::Value SessionObject::close(const Napi::CallbackInfo& info) {
  return promised(info, [&](const Deferred& deferred) {
    Environment& environment = Environment::of(info.Env());
    expect_answer(info.Env());
    thread_->close([this, &environment, deferred] {
      environment.post([this, &environment, deferred](Napi::Env env) {
        thread_->stop();
        environment.forget_session(thread_);
        answered(env);
        deferred.Resolve(env.Undefined());
      });
    });
  });
}

}  // namespace gradloom
