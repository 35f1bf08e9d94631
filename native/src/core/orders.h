// Which samples the batches of an epoch hold, in order: a function of the seed and the epoch alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/pack.h"
#include "core/plan.h"

namespace gradloom {

struct EpochOrder {
  std::vector<int64_t> samples;  // places in the split
  /// The number by which each draws what is random in it: the sample's own, and others when it comes again in the epoch.
  /// Empty: the samples' own.
  std::vector<int64_t> draws;
};

class EpochOrders {
 public:
  /// `train` null: there is nothing to order. It must outlive this. Nothing is read of it before an order is asked for:
  /// who only evaluates needs none.
  EpochOrders(const Plan& plan, const Split* train);

  /// From any thread. The current epoch's and, near its end, the next one's are kept. Throws NOT_SUPPORTED where the
  /// sampler asks for classes and there are none.
  std::shared_ptr<const EpochOrder> order(int64_t epoch);

  /// To how many positions a batch of these samples of an order may be cut; 0: it stays as it is.
  int64_t length(std::span<const int64_t> samples) const;

 private:
  void read();
  EpochOrder make(int64_t epoch) const;
  void group_by_length(EpochOrder& order, int64_t epoch) const;

  LoaderPlan settings_;
  uint64_t seed_;
  const Split* train_;
  int64_t count_;
  bool read_ = false;
  std::vector<double> cumulative_;  // of the samples' chances, where they are drawn with replacement
  std::vector<int32_t> lengths_;    // of the samples, where batches are cut
  std::mutex mutex_;
  std::array<std::pair<int64_t, std::shared_ptr<const EpochOrder>>, 2> kept_{{{-1, nullptr}, {-1, nullptr}}};
  size_t next_ = 0;
};

/// The samples of the training split in the order in which an epoch's batches hold them.
std::vector<int64_t> epoch_order(const Plan& plan, int64_t epoch);

}  // namespace gradloom
