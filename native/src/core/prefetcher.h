// Gathers a sequence of batches ahead of the one who asks for them, on a few threads of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/gather.h"

namespace gradloom {

/// Where a batch lies: an epoch or a split, and a place within it.
struct Place {
  int64_t sequence = 0;
  int64_t start = 0;  // sample
  int64_t count = 0;  // samples
  bool operator==(const Place&) const = default;
};

/// How many threads gather how much.
struct Workers {
  int64_t threads = 0;     // none: whoever takes a batch gathers it
  int64_t ahead = 1;       // batches at most that are gathered or being gathered and not yet taken
  bool persistent = true;  // threads outlast the sequence's end; otherwise they end there and are started again
};

class Prefetcher {
 public:
  using Gather = std::function<Gathered(const Place&)>;
  /// The place after this one, or none at the end.
  using Next = std::function<std::optional<Place>(const Place&)>;

  Prefetcher(Workers workers, Gather gather, Next next);
  /// Returns when no thread is left: after the batches being gathered.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// The batch at a place. One that is not next in the sequence drops what was gathered and starts the sequence anew.
  Gathered take(const Place& place);

  /// The next batch of the sequence and its place, if it is gathered already.
  std::optional<std::pair<Place, Gathered>> take_ready();

  /// Threads that have not ended.
  int64_t running();

 private:
  struct Slot {
    Place place;
    bool ready = false;
    Gathered gathered;
    std::exception_ptr error;
  };

  struct Worker {
    bool ended = false;
    std::thread thread;
  };

  void work(Worker& worker);
  void start_workers();

  Workers workers_;
  Gather gather_;
  Next next_;
  std::mutex mutex_;
  std::condition_variable work_;   // there is room, or the end
  std::condition_variable ready_;  // a slot is filled
  std::deque<std::shared_ptr<Slot>> slots_;
  std::optional<Place> upcoming_;
  bool stopping_ = false;
  std::list<Worker> threads_;
};

}  // namespace gradloom
