// Batches of a session. On the CPU a sample goes from the mapped file through a look-up table into the batch; elsewhere
// raw samples are gathered into pinned memory, copied without waiting while the batch before is computed with, and
// transformed on the device by the same operations.
#include "core/loader.h"

#include "core/courier.h"
#include "core/errors.h"
#include "core/gather.h"
#include "core/orders.h"
#include "core/pack.h"
#include "core/prefetcher.h"
#include "core/random_source.h"
#include "core/transforms/chain.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/EmptyTensor.h>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace gradloom {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What prefetched batches may hold together: enough for any reader to keep ahead, far less than a machine's memory.
constexpr int64_t kMostPrefetchedBytes = int64_t{512} << 20;

double elements_of(const std::vector<int64_t>& shape) {
  double elements = 1;
  for (const int64_t size : shape) elements *= static_cast<double>(size);
  return elements;
}

/// Batches that are prepared ahead: as the project asks, as far as they fit; one at least.
int64_t batches_ahead(const Plan& plan, int64_t samples) {
  const int64_t wanted = plan.loader.num_workers * plan.loader.prefetch_factor;
  double bytes = 4.0 * static_cast<double>(std::min(plan.loader.batch_size, std::max<int64_t>(samples, 1)));
  // Transforms may make samples larger or smaller.
  bytes *= std::max(elements_of(plan.input), elements_of(stored_shape(plan)));
  const auto fitting = static_cast<int64_t>(static_cast<double>(kMostPrefetchedBytes) / std::max(bytes, 1.0));
  return std::min(wanted, std::max<int64_t>(fitting, 1));
}

/// Whether the device's back end can pin host memory at all.
bool can_pin(c10::Device device) {
  if (device.is_cpu() || at::accelerator::getAccelerator() != device.type()) return false;
  try {
    at::detail::empty_cpu({1}, at::kByte, /*pin_memory=*/true);
    return true;
  } catch (const c10::Error&) {
    return false;
  }
}

}  // namespace

class Loader::Impl {
 public:
  Impl(const Plan& plan, c10::Device device, LoaderPath path)
      : settings_(plan.loader),
        device_(device),
        chain_(plan.transforms, stored_shape(plan), path == LoaderPath::host ? c10::Device(c10::kCPU) : device,
               plan.seed),
        // Flips and crops are the loader's threads', whatever the device, where nothing else has to happen before them.
        on_host_(path == LoaderPath::automatic ? device.is_cpu() || (chain_.simple() && chain_.moves())
                                               : path == LoaderPath::host),
        pin_(plan.loader.pin_memory && can_pin(device)),
        moves_masks_(plan.target == Target::mask && !chain_.empty()),
        mask_fill_(mask_fill(plan)),
        gatherer_(chain_, on_host_ && chain_.simple(), pin_),
        splits_(open_splits(plan)),
        orders_(plan, splits_.contains("train") ? &splits_.at("train") : nullptr),
        courier_(device, pin_),
        train_rows_(plan.splits.contains("train") ? plan.parts.at(plan.splits.at("train").part).count : 0) {
    if (settings_.batch_size < 1)
      throw Error("BAD_CALL", "batch_size must be at least 1.", {}, "data.loader.batch_size");
    if (chain_.output() != plan.input) {
      throw Error("BAD_CALL", "The transforms make other shapes than the plan's input.", "Plan the project again.",
                  "data.transforms");
    }
    if (moves_masks_) gatherer_.move_masks(mask_fill_);
    for (const auto& [name, split] : splits_) split_names_.push_back(name);
    const int64_t ahead = batches_ahead(plan, splits_.contains("train") ? splits_.at("train").count() : 0);
    // More threads than batches would only wait.
    const Workers workers{std::min(settings_.num_workers, ahead), ahead, settings_.persistent_workers};
    train_.batches = std::make_unique<Prefetcher>(
        workers, [this](const Place& place) { return gather_train(place); },
        [this](const Place& place) { return after_train(place); });
    split_.batches = std::make_unique<Prefetcher>(
        workers, [this](const Place& place) { return gather_split(place); },
        [this](const Place& place) { return after_split(place); });
  }

  int64_t batches_per_epoch() const {
    const int64_t samples = split("train").count();
    return settings_.drop_last ? samples / settings_.batch_size
                               : (samples + settings_.batch_size - 1) / settings_.batch_size;
  }

  Batch train_batch(int64_t epoch, int64_t index) {
    if (epoch < 0 || index < 0 || index >= batches_per_epoch()) {
      throw Error("BAD_CALL", "Batch " + std::to_string(index) + " of epoch " + std::to_string(epoch) +
                                  " was asked for, but an epoch has " + std::to_string(batches_per_epoch()) +
                                  " batches.");
    }
    return deliver(train_, train_place(epoch, index * settings_.batch_size));
  }

  Batch split_batch(const std::string& name, int64_t start, int64_t count) {
    const int64_t samples = split(name).count();
    if (start < 0 || count < 1 || start >= samples) {
      throw Error("BAD_CALL", std::to_string(count) + " samples from " + std::to_string(start) +
                                  " were asked for, but the split " + name + " has " + std::to_string(samples) + ".");
    }
    const auto position = std::find(split_names_.begin(), split_names_.end(), name) - split_names_.begin();
    return deliver(split_, {position, start, std::min(count, samples - start)});
  }

  const Split& split(const std::string& name) const {
    const auto found = splits_.find(name);
    if (found == splits_.end()) throw Error("BAD_CALL", "The plan has no split " + name + ".");
    return found->second;
  }

 private:
  /// A sequence of batches, and the one that is on its way to the device already.
  struct Lane {
    std::unique_ptr<Prefetcher> batches;
    std::optional<std::pair<Place, Parcel>> sent;
  };

  Place train_place(int64_t epoch, int64_t start) const {
    return {epoch, start, std::min(settings_.batch_size, splits_.at("train").count() - start)};
  }

  std::optional<Place> after_train(const Place& place) const {
    const int64_t start = place.start + place.count;
    const int64_t left = splits_.at("train").count() - start;
    if (left >= settings_.batch_size || (left > 0 && !settings_.drop_last)) return train_place(place.sequence, start);
    if (!settings_.persistent_workers) return {};
    return train_place(place.sequence + 1, 0);
  }

  std::optional<Place> after_split(const Place& place) const {
    const int64_t start = place.start + place.count;
    const int64_t left = splits_.at(split_names_[static_cast<size_t>(place.sequence)]).count() - start;
    if (left <= 0) return {};
    return Place{place.sequence, start, std::min(place.count, left)};
  }

  // On the prefetcher's threads.

  Gathered gather_train(const Place& place) {
    const std::shared_ptr<const EpochOrder> order = orders_.order(place.sequence);
    const auto first = static_cast<size_t>(place.start);
    const auto count = static_cast<size_t>(place.count);
    const std::span samples = std::span(order->samples).subspan(first, count);
    const Split& split = splits_.at("train");
    // What a sample draws goes by its row in its part, whatever the split is, and by how often it came in this epoch.
    std::vector<int64_t> ids;
    for (size_t i = 0; i < count; ++i) {
      const int64_t draw = order->draws.empty() ? samples[i] : order->draws[first + i];
      const int64_t before = (draw - samples[i]) / split.count();
      ids.push_back(split.row(samples[i]) + before * train_rows_);
    }
    return gather(split, samples, chain_.train(place.sequence, ids), orders_.length(samples));
  }

  Gathered gather_split(const Place& place) const {
    const Split& split = splits_.at(split_names_[static_cast<size_t>(place.sequence)]);
    std::vector<int64_t> samples(static_cast<size_t>(place.count));
    std::iota(samples.begin(), samples.end(), place.start);
    return gather(split, samples, chain_.fixed(place.count), 0);
  }

  Gathered gather(const Split& split, std::span<const int64_t> samples, ChainDraws draws, int64_t length) const {
    std::vector<int64_t> rows(samples.size());
    std::transform(samples.begin(), samples.end(), rows.begin(), [&](int64_t sample) { return split.row(sample); });
    const bool quick = on_host_ && chain_.simple();
    const std::vector<Warp> warps = quick && chain_.moves() ? chain_.warps(draws) : std::vector<Warp>();
    Gathered gathered = gatherer_.gather(split.part(), rows, warps, length);
    if (quick || chain_.empty()) return gathered;
    gathered.draws = std::make_shared<const ChainDraws>(std::move(draws));
    return on_host_ ? finished(std::move(gathered)) : std::move(gathered);
  }

  // On the session's thread.

  Batch deliver(Lane& lane, const Place& place) {
    Batch batch;
    batch.samples = place.count;
    const bool is_sent = lane.sent && lane.sent->first == place;
    if (!is_sent) lane.sent.reset();
    const auto start = std::chrono::steady_clock::now();
    Gathered gathered;
    if (!is_sent) gathered = lane.batches->take(place);
    batch.wait_seconds = seconds_since(start);
    if (on_host_ && device_.is_cpu()) {
      batch.input = std::move(gathered.input);
      batch.target = std::move(gathered.target);
      return batch;
    }
    const auto copy_start = std::chrono::steady_clock::now();
    Parcel parcel = is_sent ? std::move(lane.sent->second) : courier_.send(gathered);
    courier_.receive(parcel);
    if (!on_host_) finish(parcel.input, parcel.target, parcel.scale, parcel.draws.get());
    batch.input = std::move(parcel.input);
    batch.target = std::move(parcel.target);
    lane.sent.reset();
    if (const auto next = lane.batches->take_ready()) lane.sent.emplace(next->first, courier_.send(next->second));
    batch.copy_seconds = seconds_since(copy_start);
    return batch;
  }

  Gathered finished(Gathered raw) const {
    finish(raw.input, raw.target, raw.scale, raw.draws.get());
    return {std::move(raw.input), std::move(raw.target), 0, {}};
  }

  /// Raw samples, wherever they are, as the network wants them.
  void finish(at::Tensor& input, at::Tensor& target, float scale, const ChainDraws* draws) const {
    if (input.scalar_type() == at::kLong) return;
    input = as_floats(input, scale);
    if (draws == nullptr) return;
    input = chain_.apply(input, *draws);
    if (moves_masks_) target = chain_.apply_masks(target, *draws, mask_fill_);
  }

  LoaderPlan settings_;
  c10::Device device_;
  Chain chain_;
  bool on_host_;
  bool pin_;
  bool moves_masks_;
  double mask_fill_;
  Gatherer gatherer_;
  std::map<std::string, Split> splits_;
  std::vector<std::string> split_names_;
  EpochOrders orders_;
  Courier courier_;
  int64_t train_rows_;  // of the part that the training split is of
  // Last, so that their threads end before what they read goes.
  Lane train_;
  Lane split_;
};

Loader::Loader(const Plan& plan, c10::Device device, LoaderPath path)
    : impl_(std::make_unique<Impl>(plan, device, path)) {}

Loader::~Loader() = default;

int64_t Loader::batches_per_epoch() const {
  return impl_->batches_per_epoch();
}

Batch Loader::train_batch(int64_t epoch, int64_t index) {
  return impl_->train_batch(epoch, index);
}

Batch Loader::split_batch(const std::string& split, int64_t start, int64_t count) {
  return impl_->split_batch(split, start, count);
}

int64_t Loader::split_count(const std::string& split) const {
  return impl_->split(split).count();
}

}  // namespace gradloom
