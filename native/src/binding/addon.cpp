// The addon's entry: the functions of engine/contract/native.ts `Addon`, and `useErrorClass`, through which
// GradloomError is handed over.
#include <napi.h>

#include "binding/convert.h"
#include "binding/environment.h"
#include "binding/errors.h"
#include "binding/session_object.h"
#include "core/describe.h"
#include "core/device_info.h"
#include "core/orders.h"
#include "core/random_source.h"
#include "core/transforms/fit.h"

namespace gradloom {

namespace {

Napi::Value describe_tables(const Napi::CallbackInfo& info) {
  return guarded(info, [&] { return to_js(info.Env(), describe()); });
}

Napi::Value devices(const Napi::CallbackInfo& info) {
  return guarded(info, [&] { return to_js(info.Env(), list_devices()); });
}

Napi::Value permutation(const Napi::CallbackInfo& info) {
  return guarded(info, [&] {
    const int64_t n = to_integer(info[0], "n");
    return to_js_numbers(info.Env(), randperm(n, static_cast<uint64_t>(to_integer(info[1], "seed"))));
  });
}

Napi::Value order_of_epoch(const Napi::CallbackInfo& info) {
  return guarded(info, [&] {
    const Plan plan = parse_plan(nlohmann::json::parse(to_string(info[0], "plan"), nullptr, false));
    return to_js_numbers(info.Env(), epoch_order(plan, to_integer(info[1], "epoch")));
  });
}

Napi::Value write_random_source(const Napi::CallbackInfo& info) {
  return promised(info, [&](const Napi::Promise::Deferred& deferred) {
    Environment::of(info.Env())
        .run([request = to_random_request(info[0])] { write_random(request); },
             [deferred](Napi::Env env, std::exception_ptr failure) {
               if (failure) {
                 deferred.Reject(to_js_error(env, failure));
               } else {
                 deferred.Resolve(env.Undefined());
               }
             });
  });
}

Napi::Value resize(const Napi::CallbackInfo& info) {
  return promised(info, [&](const Napi::Promise::Deferred& deferred) {
    const auto resized = std::make_shared<std::vector<uint8_t>>();
    const ResizeRequest request = to_resize_request(info[0]);
    // Let go on the JavaScript thread only: where no answer is delivered any more, the process is ending.
    const auto array = info[0].As<Napi::Object>().Get("pixels").As<Napi::Object>();
    auto* const pixels = new Napi::ObjectReference(Napi::Persistent(array));
    Environment::of(info.Env())
        .run([request, resized] { *resized = resize_image(request); },
             [deferred, resized, pixels](Napi::Env env, std::exception_ptr failure) {
               delete pixels;
               if (failure) {
                 deferred.Reject(to_js_error(env, failure));
               } else {
                 deferred.Resolve(to_js_bytes(env, *resized));
               }
             });
  });
}

/// Runs `work` on a thread of its own and resolves to what `answer` makes of its result.
template <typename Result>
void answer_later(Napi::Env env, const Napi::Promise::Deferred& deferred, std::function<Result()> work,
                  std::function<Napi::Value(Napi::Env, const Result&)> answer) {
  const auto result = std::make_shared<Result>();
  Environment::of(env).run([work = std::move(work), result] { *result = work(); },
                           [deferred, result, answer = std::move(answer)](Napi::Env env, std::exception_ptr failure) {
                             if (failure) {
                               deferred.Reject(to_js_error(env, failure));
                             } else {
                               deferred.Resolve(answer(env, *result));
                             }
                           });
}

Napi::Value fit(const Napi::CallbackInfo& info) {
  return promised(info, [&](const Napi::Promise::Deferred& deferred) {
    answer_later<std::vector<Fitted>>(
        info.Env(), deferred,
        [text = to_string(info[0], "plan")] { return fit_transforms(parse_plan(nlohmann::json::parse(text))); },
        [](Napi::Env env, const std::vector<Fitted>& fitted) {
          nlohmann::json list = nlohmann::json::array();
          for (const Fitted& one : fitted)
            list.push_back({{"index", one.index}, {"mean", one.mean}, {"std", one.std}});
          return to_js(env, list);
        });
  });
}

Napi::Value transform(const Napi::CallbackInfo& info) {
  return promised(info, [&](const Napi::Promise::Deferred& deferred) {
    SamplesRequest request = to_samples_request(info[0]);
    answer_later<Samples>(
        info.Env(), deferred, [request = std::move(request)] { return transform_samples(request); },
        [](Napi::Env env, const Samples& samples) { return to_js(env, samples); });
  });
}

Napi::Value lock(const Napi::CallbackInfo& info) {
  return guarded(info, [&] {
    const auto held = Environment::of(info.Env()).lock(to_string(info[0], "file"));
    Napi::Object object = Napi::Object::New(info.Env());
    object.Set("release",
               Napi::Function::New(
                   info.Env(), [held](const Napi::CallbackInfo& call) { Environment::of(call.Env()).unlock(held); },
                   "release"));
    return object;
  });
}

Napi::Value use_error_class(const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throw Napi::TypeError::New(info.Env(), "A class of errors was expected.");
  Environment::of(info.Env()).error_class = Napi::Persistent(info[0].As<Napi::Function>());
  return info.Env().Undefined();
}

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new Environment(env));
  Environment::of(env).session_class = Napi::Persistent(SessionObject::define(env));
  exports.Set("describe", Napi::Function::New<describe_tables>(env, "describe"));
  exports.Set("devices", Napi::Function::New<devices>(env, "devices"));
  exports.Set("createSession", Napi::Function::New<SessionObject::create>(env, "createSession"));
  exports.Set("randperm", Napi::Function::New<permutation>(env, "randperm"));
  exports.Set("epochOrder", Napi::Function::New<order_of_epoch>(env, "epochOrder"));
  exports.Set("writeRandom", Napi::Function::New<write_random_source>(env, "writeRandom"));
  exports.Set("resizeImage", Napi::Function::New<resize>(env, "resizeImage"));
  exports.Set("fitTransforms", Napi::Function::New<fit>(env, "fitTransforms"));
  exports.Set("transformSamples", Napi::Function::New<transform>(env, "transformSamples"));
  exports.Set("lock", Napi::Function::New<lock>(env, "lock"));
  exports.Set("useErrorClass", Napi::Function::New<use_error_class>(env, "useErrorClass"));
  return exports;
}

}  // namespace

NODE_API_MODULE(gradloom, initialize)

}  // namespace gradloom
