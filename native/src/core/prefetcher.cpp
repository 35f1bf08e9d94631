// The threads that gather batches ahead. They do nothing but copy samples: no ATen operator, so no OpenMP pool is ever
// made for them.
#include "core/prefetcher.h"

#include <algorithm>

namespace gradloom {

Prefetcher::Prefetcher(int64_t threads, int64_t ahead, Gather gather, Next next)
    : gather_(std::move(gather)),
      next_(std::move(next)),
      thread_count_(static_cast<size_t>(std::max<int64_t>(threads, 0))),
      ahead_(static_cast<size_t>(std::max<int64_t>(ahead, 1))) {}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Gathered Prefetcher::take(const Place& place) {
  if (thread_count_ == 0) return gather_(place);
  // Started by the first call: a session that never reads this sequence has no threads for it.
  while (threads_.size() < thread_count_) threads_.emplace_back([this] { work(); });

  std::shared_ptr<Slot> slot;
  {
    std::unique_lock lock(mutex_);
    const bool expected = slots_.empty() ? upcoming_ == place : slots_.front()->place == place;
    if (!expected) {
      slots_.clear();
      upcoming_ = place;
      work_.notify_all();
    }
    ready_.wait(lock, [&] { return !slots_.empty() && slots_.front()->ready; });
    slot = std::move(slots_.front());
    slots_.pop_front();
  }
  work_.notify_one();
  if (slot->error) std::rethrow_exception(slot->error);
  return std::move(slot->gathered);
}

void Prefetcher::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return stopping_ || (upcoming_ && slots_.size() < ahead_); });
    if (stopping_) return;
    const auto slot = std::make_shared<Slot>();
    slot->place = *upcoming_;
    upcoming_ = next_(slot->place);
    slots_.push_back(slot);
    lock.unlock();
    try {
      slot->gathered = gather_(slot->place);
    } catch (...) {
      slot->error = std::current_exception();
    }
    lock.lock();
    slot->ready = true;
    ready_.notify_all();
  }
}

}  // namespace gradloom
