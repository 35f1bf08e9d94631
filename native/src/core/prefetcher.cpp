// The threads that gather batches ahead, and transform them where the device is the CPU: each on its own, without an
// OpenMP pool.
#include "core/prefetcher.h"

#include <algorithm>

namespace gradloom {

Prefetcher::Prefetcher(Workers workers, Gather gather, Next next)
    : workers_{std::max<int64_t>(workers.threads, 0), std::max<int64_t>(workers.ahead, 1), workers.persistent},
      gather_(std::move(gather)),
      next_(std::move(next)) {}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (Worker& worker : threads_) worker.thread.join();
}

Gathered Prefetcher::take(const Place& place) {
  if (workers_.threads == 0) return gather_(place);
  std::shared_ptr<Slot> slot;
  {
    std::unique_lock lock(mutex_);
    const bool expected = slots_.empty() ? upcoming_ == place : slots_.front()->place == place;
    if (!expected) {
      slots_.clear();
      upcoming_ = place;
      work_.notify_all();
    }
    if (upcoming_) start_workers();
    ready_.wait(lock, [&] { return !slots_.empty() && slots_.front()->ready; });
    slot = std::move(slots_.front());
    slots_.pop_front();
  }
  work_.notify_one();
  if (slot->error) std::rethrow_exception(slot->error);
  return std::move(slot->gathered);
}

std::optional<std::pair<Place, Gathered>> Prefetcher::take_ready() {
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard guard(mutex_);
    if (slots_.empty() || !slots_.front()->ready || slots_.front()->error) return {};
    slot = std::move(slots_.front());
    slots_.pop_front();
  }
  work_.notify_one();
  return std::pair(slot->place, std::move(slot->gathered));
}

int64_t Prefetcher::running() {
  const std::lock_guard guard(mutex_);
  return std::count_if(threads_.begin(), threads_.end(), [](const Worker& worker) { return !worker.ended; });
}

/// Under the lock. The first batch that is asked for starts them: a session that never reads this sequence has none.
void Prefetcher::start_workers() {
  std::erase_if(threads_, [](Worker& worker) {
    if (worker.ended) worker.thread.join();
    return worker.ended;
  });
  while (static_cast<int64_t>(threads_.size()) < workers_.threads) {
    Worker& worker = threads_.emplace_back();
    worker.thread = std::thread([this, &worker] { work(worker); });
  }
}

void Prefetcher::work(Worker& worker) {
  std::unique_lock lock(mutex_);
  const auto at_end = [this] { return !upcoming_ && !workers_.persistent; };
  for (;;) {
    work_.wait(lock, [&] {
      return stopping_ || at_end() || (upcoming_ && static_cast<int64_t>(slots_.size()) < workers_.ahead);
    });
    if (stopping_ || at_end()) break;
    const auto slot = std::make_shared<Slot>();
    slot->place = *upcoming_;
    upcoming_ = next_(slot->place);
    if (at_end()) work_.notify_all();
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
  worker.ended = true;
}

}  // namespace gradloom
