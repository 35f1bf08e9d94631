// Gathers a sequence of batches ahead of the one who asks for them, on a few threads of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/gather.h"

namespace gradloom {

/// Where a batch lies: an epoch or a split, and a place within it.
struct Place {
  int64_t sequence = 0;
  int64_t start = 0;  // sample
  int64_t count = 0;  // samples
  bool operator==(const Place&) const = default;
};

class Prefetcher {
 public:
  using Gather = std::function<Gathered(const Place&)>;
  /// The place after this one, or none at the end.
  using Next = std::function<std::optional<Place>(const Place&)>;

  /// At most `ahead` batches are gathered or being gathered and not yet taken. Without threads, `take` gathers.
  Prefetcher(int64_t threads, int64_t ahead, Gather gather, Next next);
  /// Returns when no thread is left: after the batches being gathered.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// The batch at a place. One that is not next in the sequence drops what was gathered and starts the sequence anew.
  Gathered take(const Place& place);

 private:
  struct Slot {
    Place place;
    bool ready = false;
    Gathered gathered;
    std::exception_ptr error;
  };

  void work();

  Gather gather_;
  Next next_;
  size_t thread_count_;
  size_t ahead_;
  std::mutex mutex_;
  std::condition_variable work_;   // there is room, or the end
  std::condition_variable ready_;  // a slot is filled
  std::deque<std::shared_ptr<Slot>> slots_;
  std::optional<Place> upcoming_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace gradloom
