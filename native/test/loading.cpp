// The prefetcher's threads, batches on their way to a device, columns that are too large to be mapped.
#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "core/courier.h"
#include "core/errors.h"
#include "core/pack.h"
#include "core/prefetcher.h"
#include "test.h"

namespace gradloom::test {

namespace {

constexpr int64_t kLast = 99;

std::optional<Place> following(const Place& place) {
  return place.start < kLast ? Place{place.sequence, place.start + 1, 1} : Place{place.sequence + 1, 0, 1};
}

std::optional<Place> within_sequence(const Place& place) {
  if (place.start == kLast) return {};
  return Place{place.sequence, place.start + 1, 1};
}

Gathered sized(const Place& place) {
  return {at::detail::empty_cpu({place.start + 1}, at::kByte), at::Tensor()};
}

/// Whether it holds within two seconds.
template <typename Condition>
bool soon(const Condition& holds) {
  for (int i = 0; i < 2000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return holds();
}

void prefetchers_answer_any_order_and_end_at_any_time() {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const int64_t threads = static_cast<int64_t>(random() % 5);
    const int64_t ahead = static_cast<int64_t>(1 + random() % 6);
    const bool persistent = random() % 2 == 0;
    std::atomic<int64_t> gathered{0};
    int64_t taken = 0;
    Prefetcher prefetcher(
        {threads, ahead, persistent},
        [&](const Place& place) {
          if (++gathered % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
          return sized(place);
        },
        persistent ? following : within_sequence);
    Place place{0, static_cast<int64_t>(random() % 100), 1};
    for (int i = 0; i < 60; ++i) {
      if (random() % 10 == 0) place = {static_cast<int64_t>(random() % 3), static_cast<int64_t>(random() % 100), 1};
      const Gathered answer = prefetcher.take(place);
      ++taken;
      check(answer.input.numel() == place.start + 1, "a batch is the one asked for");
      place = *following(place);
      if (random() % 4 == 0) {
        if (const auto ready = prefetcher.take_ready()) {
          check(ready->first == place && ready->second.input.numel() == place.start + 1, "the next one is in its turn");
          ++taken;
          place = *following(place);
        }
      }
      if (random() % 100 == 0) break;
    }
    check(threads > 0 || gathered == taken, "without threads nothing is gathered ahead");
    check(threads > 0 || prefetcher.running() == 0, "and no thread runs");
  }
}

void failed_batches_fail_alone() {
  Prefetcher failing(
      {2, 4, true},
      [](const Place& place) {
        if (place.start == 3) throw Error("DATA_FORMAT", "On purpose.");
        return sized(place);
      },
      following);
  for (int64_t start = 0; start < 6; ++start) {
    bool failed = false;
    try {
      failing.take({0, start, 1});
    } catch (const Error& error) {
      failed = error.code == "DATA_FORMAT";
    }
    check(failed == (start == 3), "a failed batch fails alone");
  }
}

void batches_ahead_are_bounded() {
  std::atomic<int64_t> gathered{0};
  Prefetcher prefetcher(
      {3, 5, true},
      [&](const Place& place) {
        ++gathered;
        return sized(place);
      },
      following);
  check(prefetcher.running() == 0, "nothing runs before the first batch is asked for");
  prefetcher.take({0, 0, 1});
  check(soon([&] { return gathered == 6; }), "as many as allowed are gathered ahead");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  check(gathered == 6, "and not one more");
  check(prefetcher.running() == 3, "by as many threads as there are workers");
}

void threads_end_with_the_sequence_unless_they_persist() {
  for (const bool persistent : {false, true}) {
    Prefetcher prefetcher({4, 8, persistent}, sized, persistent ? following : within_sequence);
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      for (int64_t start = 0; start <= kLast; ++start) prefetcher.take({epoch, start, 1});
      if (persistent) {
        check(prefetcher.running() == 4, "they stay");
        check(soon([&] { return prefetcher.take_ready().has_value(); }), "and gather the next epoch already");
      } else {
        check(soon([&] { return prefetcher.running() == 0; }), "none is left at the end");
        check(!prefetcher.take_ready(), "and nothing is gathered of the next");
      }
    }
  }
}

/// A back end that does nothing and remembers in what order it was asked to.
class Ledger final : public c10::impl::DeviceGuardImplInterface {
 public:
  mutable std::vector<std::string> lines;
  mutable c10::StreamId current = 0;
  mutable int events = 0;

  static c10::Stream stream(c10::StreamId id) {
    return c10::Stream(c10::Stream::UNSAFE, c10::Device(c10::kCPU), id);
  }
  void tell(const std::string& line) const { lines.push_back(line + " on " + std::to_string(current)); }

  c10::DeviceType type() const override { return c10::kCPU; }
  c10::Device exchangeDevice(c10::Device device) const override { return device; }
  c10::Device getDevice() const override { return c10::Device(c10::kCPU); }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  c10::Stream getStream(c10::Device) const override { return stream(current); }
  c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override { return stream(7); }
  c10::Stream exchangeStream(c10::Stream to) const override {
    const c10::Stream former = stream(current);
    current = to.id();
    return former;
  }
  void record(void** event, const c10::Stream& of, c10::DeviceIndex, c10::EventFlag) const override {
    *event = reinterpret_cast<void*>(static_cast<intptr_t>(++events));
    tell("record " + std::to_string(events) + " of " + std::to_string(of.id()));
  }
  void block(void* event, const c10::Stream& waiting) const override {
    tell("stream " + std::to_string(waiting.id()) + " waits for " +
         std::to_string(reinterpret_cast<intptr_t>(event)));
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    tell("forget " + std::to_string(reinterpret_cast<intptr_t>(event)));
  }
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream& user) const override {
    tell("memory used by " + std::to_string(user.id()));
  }
};

void copies_have_a_stream_of_their_own() {
  const Ledger ledger;
  {
    const Courier courier(c10::Device(c10::kCPU), true, c10::impl::VirtualGuardImpl(&ledger));
    const Parcel first = courier.send({at::ones({2}), at::zeros({2}), 255});
    check(first.scale == 255 && first.input.sum().item<float>() == 2, "a parcel is what was sent");
    courier.receive(first);
    const Parcel second = courier.send({at::ones({3}), at::zeros({3})});
    courier.receive(second);
  }
  const std::vector<std::string> expected = {
      "record 1 of 7 on 7", "stream 0 waits for 1 on 0", "memory used by 0 on 0", "memory used by 0 on 0",
      "record 2 of 7 on 7", "stream 0 waits for 2 on 0", "memory used by 0 on 0", "memory used by 0 on 0",
      "forget 2 on 0",      "forget 1 on 0"};
  for (size_t i = 0; i < std::max(expected.size(), ledger.lines.size()); ++i) {
    const std::string found = i < ledger.lines.size() ? ledger.lines[i] : "nothing";
    check(i < expected.size() && found == expected[i], "step " + std::to_string(i) + " is: " + found);
  }
}

void columns_are_mapped_or_read() {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("gradloom-check-" + std::to_string(std::random_device{}()))).string();
  std::vector<uint16_t> values(6 * 1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint16_t>(i * 11);
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(values.data()), 12'000);
  const ColumnPlan plan{file, ColumnType::uint16, {6}, true};
  const std::vector<int64_t> rows{999, 0, 1, 2, 500, 500};
  for (const uint64_t most_mapped : {0, 1 << 20}) {
    const Column column(plan, 1000, most_mapped);
    check(column.scale() == 65535, "16-bit integers are parts of 65535");
    RowReader reader(column, rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto* const row = reinterpret_cast<const uint16_t*>(reader.row(i));
      check(std::equal(row, row + 6, values.data() + rows[i] * 6), "a row is the one asked for");
      std::array<uint16_t, 2> start{};
      reader.copy(i, start.data(), 4);
      check(std::equal(start.begin(), start.end(), values.data() + rows[i] * 6), "so is its beginning");
    }
  }
  // A file that shrinks while it is read is an error with its name, where a mapping would end the process.
  const Column column(plan, 1000, 0);
  std::filesystem::resize_file(file, 6000);
  std::string code;
  try {
    RowReader(column, rows).row(0);
  } catch (const Error& error) {
    code = error.code;
  }
  check(code == "DATA_TRUNCATED", "what was cut off is missed");
  std::filesystem::remove(file);
}

constexpr Case cases[] = {
    {"prefetchers answer any order and end at any time", prefetchers_answer_any_order_and_end_at_any_time},
    {"failed batches fail alone", failed_batches_fail_alone},
    {"batches ahead are bounded", batches_ahead_are_bounded},
    {"threads end with the sequence unless they persist", threads_end_with_the_sequence_unless_they_persist},
    {"copies have a stream of their own", copies_have_a_stream_of_their_own},
    {"columns are mapped or read", columns_are_mapped_or_read},
};

}  // namespace

std::span<const Case> loading_cases() {
  return cases;
}

}  // namespace gradloom::test
