// The session's life: built, served call by call, freed; all on one thread, so that libtorch's per-thread settings stay
// its own.
#include "binding/session_thread.h"

#include <nlohmann/json.hpp>

#include <utility>

#include "core/allocator.h"
#include "core/errors.h"

namespace gradloom {

namespace {

std::exception_ptr closed_error() {
  return std::make_exception_ptr(Error("CLOSED", "The session has ended.", "Start a new one."));
}

Plan read_plan(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Error("BAD_CALL", "The plan is not JSON.", {}, "plan");
  return parse_plan(json);
}

}  // namespace

SessionThread::SessionThread(std::string plan, std::function<void(std::exception_ptr)> built)
    : thread_([this, plan = std::move(plan), built = std::move(built)] { work(plan, built); }) {}

SessionThread::~SessionThread() {
  stop();
}

bool SessionThread::submit(Call call) {
  const std::lock_guard guard(mutex_);
  if (closing_) return false;
  calls_.push_back(std::move(call));
  ++submitted_;
  wake_.notify_one();
  return true;
}

void SessionThread::cancel() {
  const std::lock_guard guard(mutex_);
  cancelled_ = submitted_;
  if (running_) session_->cancel();
}

void SessionThread::close(std::function<void()> closed) {
  {
    const std::lock_guard guard(mutex_);
    if (!finished_) {
      closed_.push_back(std::move(closed));
      begin_closing();
      return;
    }
  }
  closed();
}

void SessionThread::stop() {
  {
    const std::lock_guard guard(mutex_);
    begin_closing();
  }
  if (thread_.joinable()) thread_.join();
}

void SessionThread::begin_closing() {
  closing_ = true;
  cancelled_ = submitted_;
  if (running_) session_->cancel();
  wake_.notify_one();
}

void SessionThread::work(const std::string& plan, const std::function<void(std::exception_ptr)>& built) {
  std::unique_ptr<Session> session;
  std::exception_ptr failure;
  try {
    session = std::make_unique<Session>(read_plan(plan));
  } catch (...) {
    failure = std::current_exception();
    const std::lock_guard guard(mutex_);
    closing_ = true;
  }
  built(failure);
  if (session != nullptr) serve(*session);
  session.reset();
  empty_cpu_cache();
  finish();
}

void SessionThread::serve(Session& session) {
  std::unique_lock lock(mutex_);
  session_ = &session;
  for (;;) {
    wake_.wait(lock, [this] { return closing_ || !calls_.empty(); });
    if (closing_) break;
    const Call call = std::move(calls_.front());
    calls_.pop_front();
    running_ = true;
    session.forget_cancel();
    if (++started_ <= cancelled_) session.cancel();
    lock.unlock();
    try {
      call.run(session);
    } catch (...) {
      call.fail(std::current_exception());
    }
    lock.lock();
    running_ = false;
  }
  session_ = nullptr;
}

void SessionThread::finish() {
  std::deque<Call> refused;
  std::vector<std::function<void()>> closed;
  {
    const std::lock_guard guard(mutex_);
    finished_ = true;
    refused.swap(calls_);
    closed.swap(closed_);
  }
  for (const Call& call : refused) call.fail(closed_error());
  for (const auto& answer : closed) answer();
}

}  // namespace gradloom
