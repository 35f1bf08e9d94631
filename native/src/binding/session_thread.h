// One session on a thread of its own: a queue of calls, answered in their order. Knows nothing of Node.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/session.h"

namespace gradloom {

class SessionThread {
 public:
  /// Exactly one of the two is called, on the session's thread.
  struct Call {
    std::function<void(Session&)> run;  // may throw; what it throws goes to `fail`
    std::function<void(std::exception_ptr)> fail;
  };

  /// Builds the session from a plan's JSON; `built` gets null or why it could not be built, after which the thread has
  /// ended.
  SessionThread(std::string plan, std::function<void(std::exception_ptr)> built);
  /// Like `stop`.
  ~SessionThread();
  SessionThread(const SessionThread&) = delete;
  SessionThread& operator=(const SessionThread&) = delete;

  /// False, and nothing is kept, once closing has begun.
  bool submit(Call call);

  /// Ends the calls submitted so far at their next batch.
  void cancel();

  /// Cancels, refuses what waits, frees the session, then calls `closed` on the thread: at once when that is done
  /// already.
  void close(std::function<void()> closed);

  /// Closes and waits for the thread's end. Nothing is called back any more for calls that still wait.
  void stop();

 private:
  void work(const std::string& plan, const std::function<void(std::exception_ptr)>& built);
  void serve(Session& session);
  void finish();
  void begin_closing();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Call> calls_;
  std::vector<std::function<void()>> closed_;
  Session* session_ = nullptr;  // while one is there; only `cancel` uses it from other threads
  int64_t submitted_ = 0;
  int64_t started_ = 0;
  int64_t cancelled_ = 0;  // calls up to this one
  bool running_ = false;
  bool closing_ = false;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace gradloom
