// Permutations and draws with replacement are torch's to the bit, made without ATen's thread pool.
#include "core/orders.h"

#include <ATen/core/MT19937RNGEngine.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <type_traits>

#include "core/errors.h"
#include "core/random_source.h"

namespace gradloom {

namespace {

/// Batches whose samples are sorted together: enough to find others of like length, few enough to leave chance its say.
constexpr int64_t kGroupedBatches = 100;

/// The rows of a split a piece at a time, in its order.
template <typename Visit>
void each_row(const Split& split, const Column& column, const Visit& visit) {
  constexpr int64_t piece = 4096;
  std::vector<int64_t> rows;
  for (int64_t start = 0; start < split.count(); start += piece) {
    rows.clear();
    for (int64_t i = start; i < std::min(start + piece, split.count()); ++i) rows.push_back(split.row(i));
    RowReader reader(column, rows);
    for (size_t i = 0; i < rows.size(); ++i) visit(start + static_cast<int64_t>(i), reader.row(i));
  }
}

std::vector<int64_t> classes_of(const Split& split) {
  const Column& column = split.part().target;
  if (column.row_elements() != 1 || column.type() == ColumnType::float32 || column.scale() != 0)
    throw Error("NOT_SUPPORTED", "Samples can only be drawn by class where each has one.", "Use the sampler shuffle.",
                "data.loader.sampler");
  std::vector<int64_t> classes(static_cast<size_t>(split.count()));
  each_row(split, column, [&](int64_t at, const std::byte* row) {
    int64_t& index = classes[static_cast<size_t>(at)];
    if (column.type() == ColumnType::int64) {
      std::copy_n(row, sizeof index, reinterpret_cast<std::byte*>(&index));
    } else {
      index = static_cast<int64_t>(row[0]);
      if (column.type() == ColumnType::uint16) index |= static_cast<int64_t>(row[1]) << 8;
    }
  });
  return classes;
}

/// 1 ÷ the class's samples, or the class's weight.
std::vector<double> weights_of(const LoaderPlan& settings, const std::vector<int64_t>& classes) {
  std::vector<double> weights;
  std::map<int64_t, int64_t> counts;
  if (settings.sampler == Sampler::balanced) {
    for (const int64_t index : classes) ++counts[index];
  }
  for (const int64_t index : classes) {
    if (settings.sampler == Sampler::balanced) {
      weights.push_back(1.0 / static_cast<double>(counts[index]));
    } else if (index < 0 || index >= static_cast<int64_t>(settings.class_weights.size())) {
      throw Error("BAD_CALL", "There is no weight for class " + std::to_string(index) + ".", "Give one for each class.",
                  "data.loader.class_weights");
    } else {
      weights.push_back(settings.class_weights[static_cast<size_t>(index)]);
    }
  }
  return weights;
}

/// As torch.multinomial adds them up.
std::vector<double> cumulative(std::vector<double> weights) {
  double sum = 0;
  for (double& weight : weights) weight = sum += weight;
  if (!(sum > 0) || !std::isfinite(sum))
    throw Error("BAD_CALL", "No sample of the training split has a chance to be drawn.",
                "Give a class that is there a weight above 0.", "data.loader.class_weights");
  for (double& weight : weights) weight /= sum;
  weights.back() = 1;
  return weights;
}

/// torch.multinomial(weights, n, replacement=True) of a CPU generator seeded `seed`.
std::vector<int64_t> draw(const std::vector<double>& cumulative, uint64_t seed) {
  at::mt19937 engine(seed);
  std::vector<int64_t> drawn(cumulative.size());
  for (int64_t& sample : drawn) {
    const uint64_t high = engine();
    const uint64_t bits = high << 32 | engine();
    const double uniform = static_cast<double>(bits & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
    sample = std::lower_bound(cumulative.begin(), cumulative.end(), uniform) - cumulative.begin();
  }
  return drawn;
}

/// Numbers to draw by, so that a sample which comes again in an epoch is moved otherwise.
std::vector<int64_t> draws_of(const std::vector<int64_t>& samples) {
  std::vector<int64_t> seen(samples.size(), 0);
  std::vector<int64_t> draws;
  for (const int64_t sample : samples)
    draws.push_back(sample + seen[static_cast<size_t>(sample)]++ * static_cast<int64_t>(samples.size()));
  return draws;
}

/// Tokens up to the last that is no padding; all of them where there is nothing but padding, which is taken as it is.
std::vector<int32_t> lengths_of(const Split& split, int64_t padding) {
  const Column& column = split.part().input;
  if (column.type() != ColumnType::int64 || column.shape().size() != 1)
    throw Error("NOT_SUPPORTED", "Only sequences of tokens have a length to be grouped by.", "Switch it off.",
                "data.loader.bucket_by_length");
  std::vector<int32_t> lengths(static_cast<size_t>(split.count()));
  std::vector<int64_t> tokens(static_cast<size_t>(column.row_elements()));
  each_row(split, column, [&](int64_t at, const std::byte* row) {
    std::copy_n(row, column.row_bytes(), reinterpret_cast<std::byte*>(tokens.data()));
    size_t length = tokens.size();
    while (length > 0 && tokens[length - 1] == padding) --length;
    lengths[static_cast<size_t>(at)] = static_cast<int32_t>(length == 0 ? tokens.size() : length);
  });
  return lengths;
}

template <typename T>
void permute(std::vector<T>& values, const std::vector<int64_t>& places) {
  std::vector<T> moved(values.size());
  for (size_t i = 0; i < values.size(); ++i) moved[i] = values[static_cast<size_t>(places[i])];
  values = std::move(moved);
}

}  // namespace

EpochOrders::EpochOrders(const Plan& plan, const Split* train)
    : settings_(plan.loader), seed_(plan.seed), train_(train), count_(train == nullptr ? 0 : train->count()) {}

void EpochOrders::read() {
  if (count_ > 0 && settings_.sampler != Sampler::shuffle)
    cumulative_ = cumulative(weights_of(settings_, classes_of(*train_)));
  if (count_ > 0 && settings_.padding) lengths_ = lengths_of(*train_, *settings_.padding);
  read_ = true;
}

std::shared_ptr<const EpochOrder> EpochOrders::order(int64_t epoch) {
  const std::lock_guard guard(mutex_);
  for (const auto& [known, order] : kept_) {
    if (known == epoch) return order;
  }
  if (!read_) read();
  auto made = std::make_shared<const EpochOrder>(make(epoch));
  auto& [known, order] = kept_[next_];
  next_ = (next_ + 1) % kept_.size();
  known = epoch;
  order = std::move(made);
  return order;
}

int64_t EpochOrders::length(std::span<const int64_t> samples) const {
  if (lengths_.empty()) return 0;
  int64_t length = settings_.shortest;
  for (const int64_t sample : samples) length = std::max<int64_t>(length, lengths_[static_cast<size_t>(sample)]);
  return length;
}

EpochOrder EpochOrders::make(int64_t epoch) const {
  const uint64_t seed = seed_ + static_cast<uint64_t>(epoch);
  EpochOrder order;
  if (!cumulative_.empty()) {
    order.samples = draw(cumulative_, seed);
    order.draws = draws_of(order.samples);
  } else if (settings_.shuffle) {
    order.samples = randperm(count_, seed);
  } else {
    order.samples.resize(static_cast<size_t>(count_));
    std::iota(order.samples.begin(), order.samples.end(), int64_t{0});
    return order;  // who asks for the stored order gets it: batches are cut, not grouped
  }
  if (!lengths_.empty()) group_by_length(order, epoch);
  return order;
}

void EpochOrders::group_by_length(EpochOrder& order, int64_t epoch) const {
  const int64_t size = settings_.batch_size;
  // What is left beyond whole batches stays last and of any length, so that leaving it out favours none.
  const int64_t batches = count_ / size;
  std::vector<int64_t> places(order.samples.size());
  std::iota(places.begin(), places.end(), int64_t{0});
  const auto length = [&](int64_t place) {
    return lengths_[static_cast<size_t>(order.samples[static_cast<size_t>(place)])];
  };
  for (int64_t first = 0; first < batches; first += kGroupedBatches) {
    const int64_t last = std::min(first + kGroupedBatches, batches);
    std::stable_sort(places.begin() + first * size, places.begin() + last * size,
                     [&](int64_t a, int64_t b) { return length(a) < length(b); });
  }
  const std::vector<int64_t> sorted = places;
  const std::vector<int64_t> turns = randperm(batches, stream_seed(seed_, Stream::order, epoch, 0));
  for (int64_t batch = 0; batch < batches; ++batch) {
    std::copy_n(sorted.begin() + turns[static_cast<size_t>(batch)] * size, size, places.begin() + batch * size);
  }
  permute(order.samples, places);
  if (!order.draws.empty()) permute(order.draws, places);
}

std::vector<int64_t> epoch_order(const Plan& plan, int64_t epoch) {
  const std::map<std::string, Split> splits = open_splits(plan);
  const auto train = splits.find("train");
  return EpochOrders(plan, train == splits.end() ? nullptr : &train->second).order(epoch)->samples;
}

}  // namespace gradloom
