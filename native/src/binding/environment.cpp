// Threads end in order at every way out: `close`; JavaScript's exit event (process.exit runs no cleanup hooks on the
// main thread, and once exit handlers run, what libtorch made lately is already being destroyed); the environment's
// cleanup hook (a terminated worker has no exit event); and, should all else have been passed by, the process's exit
// handlers.
#include "binding/environment.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "core/errors.h"

namespace gradloom {

namespace {

/// Environments whose threads must end before the process's static objects, libtorch's among them, are destroyed.
struct Living {
  std::mutex mutex;
  std::vector<Environment*> environments;
};

/// Never destroyed: exit handlers use it.
Living& living() {
  static auto* const instance = new Living;
  return *instance;
}

void stop_all_threads() {
  std::vector<Environment*> environments;
  {
    const std::lock_guard guard(living().mutex);
    environments = living().environments;
  }
  for (Environment* const environment : environments) environment->stop_threads();
}

using Delivery = std::function<void(Napi::Env)>;

void deliver(napi_env env, napi_value, void*, void* data) {
  const std::unique_ptr<Delivery> delivery(static_cast<Delivery*>(data));
  if (env == nullptr) return;
  const Napi::HandleScope scope(env);
  (*delivery)(env);
}

}  // namespace

Environment::Environment(Napi::Env env) : env_(env) {
  const napi_value name = Napi::String::New(env, "gradloom");
  if (napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, nullptr, &deliver,
                                      &to_js_) != napi_ok) {
    throw Napi::Error::New(env, "Could not create a thread-safe function.");
  }
  napi_unref_threadsafe_function(env, to_js_);
  const auto process = env.Global().Get("process").As<Napi::Object>();
  const auto stop = Napi::Function::New(env, [this](const Napi::CallbackInfo&) { stop_threads(); }, "endSessions");
  process.Get("on").As<Napi::Function>().Call(process, {Napi::String::New(env, "exit"), stop});
  // Added after the thread-safe function's own hook, hence run before it.
  env.AddCleanupHook([this] {
    stop_threads();
    napi_release_threadsafe_function(to_js_, napi_tsfn_release);
  });
  const std::lock_guard guard(living().mutex);
  static const bool registered = std::atexit(&stop_all_threads) == 0;
  (void)registered;
  living().environments.push_back(this);
}

Environment::~Environment() {
  stop_threads();
  const std::lock_guard guard(living().mutex);
  std::erase(living().environments, this);
}

void Environment::post(Delivery delivery) {
  auto data = std::make_unique<Delivery>(std::move(delivery));
  const std::lock_guard guard(mutex_);
  if (stopped_) return;
  if (napi_call_threadsafe_function(to_js_, data.get(), napi_tsfn_nonblocking) == napi_ok) data.release();
}

void Environment::expect_answer() {
  if (awaited_++ == 0) napi_ref_threadsafe_function(env_, to_js_);
}

void Environment::answered() {
  if (--awaited_ == 0) napi_unref_threadsafe_function(env_, to_js_);
}

void Environment::run(std::function<void()> work, std::function<void(Napi::Env, std::exception_ptr)> deliver_result) {
  refuse_when_stopped();
  const auto task = tasks_.emplace(tasks_.end());
  try {
    task->thread = std::thread([this, task, work = std::move(work), deliver_result = std::move(deliver_result)] {
      std::exception_ptr failure;
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      post([this, task, failure, deliver_result](Napi::Env env) {
        task->thread.join();
        tasks_.erase(task);
        answered();
        deliver_result(env, failure);
      });
    });
  } catch (...) {  // the system has no thread left
    tasks_.erase(task);
    throw;
  }
  expect_answer();  // this thread delivers, so the answer cannot have come yet
}

std::shared_ptr<SessionThread> Environment::start_session(std::string plan,
                                                          std::function<void(std::exception_ptr)> built) {
  refuse_when_stopped();
  auto session = std::make_shared<SessionThread>(std::move(plan), std::move(built));
  sessions_.insert(session);
  return session;
}

void Environment::forget_session(const std::shared_ptr<SessionThread>& session) {
  sessions_.erase(session);
}

std::shared_ptr<FileLock> Environment::lock(const std::string& path) {
  return *locks_.insert(std::make_shared<FileLock>(path)).first;
}

void Environment::unlock(const std::shared_ptr<FileLock>& lock) {
  lock->release();
  locks_.erase(lock);
}

void Environment::refuse_when_stopped() {
  const std::lock_guard guard(mutex_);
  if (stopped_) throw Error("CLOSED", "The process is ending.");
}

void Environment::stop_threads() {
  {
    const std::lock_guard guard(mutex_);
    if (stopped_) return;
    stopped_ = true;
  }
  for (const auto& session : sessions_) session->stop();
  for (Task& task : tasks_) {
    if (task.thread.joinable()) task.thread.join();
  }
}

}  // namespace gradloom
