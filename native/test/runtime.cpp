// The allocator's threads, and thousands of damaged weights files in one process.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

#include "core/allocator.h"
#include "core/devices.h"
#include "core/errors.h"
#include "core/random_source.h"
#include "core/state.h"
#include "test.h"

namespace gradloom::test {

namespace {

at::Tensor bytes_of(int64_t count) {
  return at::empty({count}, at::kByte);
}

void names_what_is_not_deterministic() {
  at::globalContext().setDeterministicAlgorithms(true, false);
  Error error("", "");
  try {
    at::Context::alertNotDeterministic("adaptive_avg_pool2d_backward_cuda");
  } catch (...) {
    error = to_error(std::current_exception());
  }
  at::globalContext().setDeterministicAlgorithms(false, false);
  check(error.code == "NOT_SUPPORTED" && error.path == "training.deterministic",
        "an operation that is not deterministic is refused for the setting's sake");
  check(std::string(error.what()).starts_with("adaptive_avg_pool2d_backward_cuda cannot"), "and named");
}

void counts_are_exact() {
  empty_cpu_cache();
  const AllocatorCounts before = cpu_counts();
  {
    const at::Tensor a = bytes_of(1000);
    const at::Tensor b = bytes_of(3'000'001);
    check(cpu_counts().allocated == before.allocated + 3'001'001, "allocated counts what tensors asked for");
    check(reinterpret_cast<uintptr_t>(a.data_ptr()) % 64 == 0 && reinterpret_cast<uintptr_t>(b.data_ptr()) % 64 == 0,
          "data is aligned to 64 bytes");
    reset_cpu_peak();
    {
      const at::Tensor c = bytes_of(500);
    }
    check(cpu_counts().peak == before.allocated + 3'001'501, "peak is the most since the reset");
    check(bytes_of(0).data_ptr() == nullptr, "nothing is nowhere");
  }
  check(cpu_counts().allocated == before.allocated, "all that was asked for is given back");
  check(cpu_counts().reserved > before.reserved, "freed blocks are kept");
  empty_cpu_cache();
  check(cpu_counts().reserved == before.reserved, "an emptied cache holds nothing");
}

void blocks_are_reused_within_bounds() {
  for (const int64_t size : {10, 5'000, 300'000, 50'000'000}) {
    bytes_of(size);
    const int64_t reserved = cpu_counts().reserved;
    for (int i = 0; i < 50; ++i) bytes_of(size);
    check(cpu_counts().reserved == reserved, "one size after the other takes one block");
  }
  for (int64_t size = 1 << 20; size < (60 << 20); size += 1 << 20) bytes_of(size);
  // The most in use at once is below 60 MiB beside what lives already.
  check(cpu_counts().reserved < cpu_counts().allocated + (160 << 20), "what is kept is bounded");
  empty_cpu_cache();
}

void budget_is_kept() {
  set_cpu_budget(static_cast<size_t>(cpu_counts().allocated) + (1 << 20));
  bool refused = false;
  try {
    bytes_of(2 << 20);
  } catch (...) {
    refused = to_error(std::current_exception()).code == "OUT_OF_MEMORY";
  }
  check(refused, "an allocation above the budget is OUT_OF_MEMORY");
  const int64_t allocated = cpu_counts().allocated;
  bytes_of(1 << 19);
  check(cpu_counts().allocated == allocated, "a refused allocation is not counted");
  set_cpu_budget(1);
  check(bytes_of(1 << 12).data_ptr() != nullptr, "a small allocation passes any budget");
  set_cpu_budget(0);
  refused = false;
  try {
    bytes_of(int64_t{1} << 61);
  } catch (...) {
    refused = to_error(std::current_exception()).code == "OUT_OF_MEMORY";
  }
  check(refused, "what no system has is OUT_OF_MEMORY");
}

/// Tensors are made, written, handed to other threads, read and freed there.
void threads_share_the_allocator() {
  const AllocatorCounts before = cpu_counts();
  std::mutex mutex;
  std::vector<at::Tensor> shared(64);
  std::atomic<int> spoilt{0};
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 4000; ++i) {
      const auto size = static_cast<int64_t>(1 + random() % (random() % 50 == 0 ? 2'000'000 : 5'000));
      at::Tensor tensor = bytes_of(size);
      auto* data = tensor.data_ptr<uint8_t>();
      data[0] = static_cast<uint8_t>(size);
      data[size - 1] = static_cast<uint8_t>(size);
      {
        const std::lock_guard guard(mutex);
        std::swap(tensor, shared[random() % shared.size()]);
      }
      if (!tensor.defined()) continue;
      data = tensor.data_ptr<uint8_t>();
      const auto expected = static_cast<uint8_t>(tensor.numel());
      if (data[0] != expected || data[tensor.numel() - 1] != expected) ++spoilt;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed) threads.emplace_back(work, seed);
  for (int i = 0; i < 50; ++i) {
    empty_cpu_cache();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (std::thread& thread : threads) thread.join();
  shared.clear();
  check(spoilt == 0, "no two tensors share a block");
  check(cpu_counts().allocated == before.allocated, "threads leave nothing allocated");
}

void permutations_are_torchs() {
  for (const int64_t n : {0, 1, 2, 10, 1000, 65'537}) {
    for (const uint64_t seed : {0, 42, 123'456'789}) {
      const at::Tensor theirs = at::randperm(n, at::detail::createCPUGenerator(seed), at::kLong);
      const std::vector<int64_t> ours = randperm(n, seed);
      check(std::equal(ours.begin(), ours.end(), theirs.const_data_ptr<int64_t>()),
            "randperm " + std::to_string(n) + " equals torch's");
    }
  }
}

void damaged_weights_are_refused() {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("gradloom-check-" + std::to_string(std::random_device{}()))).string();
  NamedTensors tensors;
  for (const auto type : {at::kFloat, at::kLong, at::kByte, at::kBool, at::kHalf, at::kBFloat16, at::kDouble, at::kInt,
                          at::kShort, at::kChar}) {
    tensors.emplace_back(c10::toString(type), at::ones({3, 1, 5}).to(type));
  }
  tensors.emplace_back("strided", at::arange(12).view({3, 4}).t());
  tensors.emplace_back("scalar", at::scalar_tensor(7));
  tensors.emplace_back("nothing", at::empty({0, 4}));
  write_safetensors(file, tensors, {{"key \"quoted\"", "välue\n"}});
  const NamedTensors back = read_safetensors(file);
  check(back.size() == tensors.size(), "every tensor comes back");
  for (size_t i = 0; i < back.size(); ++i) {
    check(back[i].first == tensors[i].first && back[i].second.dtype() == tensors[i].second.dtype() &&
              at::equal(back[i].second, tensors[i].second),
          tensors[i].first + " comes back as it was");
  }

  std::ifstream stream(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  std::mt19937 random(7);
  const std::string structure = "0123456789[]{},:\"-.eE \\";
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = whole;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      const size_t at = random() % std::min<size_t>(damaged.size(), 1400);
      const char with = random() % 2 == 0 ? static_cast<char>(random()) : structure[random() % structure.size()];
      if (random() % 8 == 0) {
        damaged.erase(at, 1 + random() % 20);
      } else if (random() % 8 == 0) {
        damaged.insert(at, 1 + random() % 3, with);
      } else {
        damaged[at] = with;
      }
      if (damaged.empty()) damaged = "x";
    }
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(damaged.data(), static_cast<std::streamsize>(damaged.size()));
    try {
      read_safetensors(file);
    } catch (const Error& error) {
      check(error.code == "WEIGHTS_FORMAT", "damage is WEIGHTS_FORMAT, not " + error.code);
    } catch (const std::exception& error) {
      check(false, std::string("damage threw ") + error.what());
    }
  }
  std::filesystem::remove(file);
}

constexpr Case cases[] = {
    {"memory is counted exactly", counts_are_exact},
    {"what is not deterministic is refused by its name", names_what_is_not_deterministic},
    {"blocks are reused within bounds", blocks_are_reused_within_bounds},
    {"a budget is kept", budget_is_kept},
    {"threads share the allocator", threads_share_the_allocator},
    {"permutations are torch's", permutations_are_torchs},
    {"damaged weights are refused", damaged_weights_are_refused},
};

}  // namespace

std::span<const Case> runtime_cases() {
  return cases;
}

}  // namespace gradloom::test
