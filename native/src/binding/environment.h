// What the addon keeps for one JavaScript environment (the main thread's or a worker's): its way back to the JavaScript
// thread, its threads and its locks. Ends them all before the environment, or the process, goes.
#pragma once

#include <napi.h>

#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "binding/session_thread.h"
#include "core/lock.h"

namespace gradloom {

class Environment {
 public:
  explicit Environment(Napi::Env env);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  static Environment& of(Napi::Env env) { return *env.GetInstanceData<Environment>(); }

  /// From any thread: runs `deliver` on the JavaScript thread, or never when the environment is going.
  void post(std::function<void(Napi::Env)> deliver);

  /// While any answer is awaited the event loop stays alive; unused sessions do not hold it. On the JavaScript thread.
  void expect_answer();
  void answered();

  /// Runs `work` on a thread of its own, then `deliver` (with what `work` threw, or null) on the JavaScript thread.
  void run(std::function<void()> work, std::function<void(Napi::Env, std::exception_ptr)> deliver);

  /// Sessions end with the environment even when nobody closed them.
  std::shared_ptr<SessionThread> start_session(std::string plan, std::function<void(std::exception_ptr)> built);
  void forget_session(const std::shared_ptr<SessionThread>& session);

  /// Locks outlive the JavaScript objects that stand for them: only `release` and the end give them back.
  std::shared_ptr<FileLock> lock(const std::string& path);
  void unlock(const std::shared_ptr<FileLock>& lock);

  Napi::FunctionReference error_class;    // GradloomError, when it has been handed over
  Napi::FunctionReference session_class;  // of the objects that stand for sessions

  /// Ends every thread; idempotent, and safe while JavaScript can no longer run.
  void stop_threads();

 private:
  void refuse_when_stopped();

  struct Task {
    std::thread thread;
  };

  Napi::Env env_;
  napi_threadsafe_function to_js_ = nullptr;
  int64_t awaited_ = 0;
  std::mutex mutex_;
  bool stopped_ = false;
  std::list<Task> tasks_;
  std::set<std::shared_ptr<SessionThread>> sessions_;
  std::set<std::shared_ptr<FileLock>> locks_;
};

}  // namespace gradloom
