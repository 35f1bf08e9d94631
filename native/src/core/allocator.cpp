// Counts every tensor's bytes exactly and keeps freed blocks by size class, so that a training step finds the memory of
// the step before still mapped: returning large activations to the system and faulting them in again is what the
// default allocator does.
#include "core/allocator.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif
#ifdef _WIN32
#include <malloc.h>
#else
#include <sys/mman.h>
#endif

namespace gradloom {

namespace {

constexpr size_t alignment = 64;         // what ATen's widest vector instructions want
constexpr size_t mapped_from = 1 << 18;  // larger blocks are mapped pages of their own, smaller ones come from malloc
constexpr size_t huge_from = 1 << 22;    // blocks of several huge pages ask for them
// Kept bytes are bounded by twice the most that was ever in use, and at least by this. Sizes that do not all live at
// the same moment need more blocks than the peak shows, and giving back the oldest block would take just the one the
// next step wants first.
constexpr int64_t least_cache = 64 << 20;
// Smaller allocations pass any budget: the way out of an error needs some, where another error would end the process.
constexpr size_t bounded_from = 1 << 16;

// AddressSanitizer is told which bytes of a block nobody may touch: all data of a kept one, what rounding up added to
// one in use.
void forbid([[maybe_unused]] const void* data, [[maybe_unused]] size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  __asan_poison_memory_region(data, bytes);
#endif
}

void allow([[maybe_unused]] const void* data, [[maybe_unused]] size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(data, bytes);
#endif
}

/// Stands in front of the data. `size` is the whole block with this header.
struct alignas(alignment) Block {
  size_t size;
  size_t asked;
  // Only while kept: neighbours within the size class, and by age over all classes.
  Block* class_next;
  Block* class_previous;
  Block* newer;
  Block* older;

  void* data() { return this + 1; }
  static Block* of(void* data) { return static_cast<Block*>(data) - 1; }
};
static_assert(sizeof(Block) == alignment);

// Size classes: eight to each power of two, so that rounding up wastes at most an eighth.
constexpr int class_bits = 3;
constexpr size_t class_count = (64 << class_bits);

struct SizeClass {
  size_t index;
  size_t size;
};

SizeClass size_class(size_t bytes) {
  const size_t units = (bytes + alignment - 1) / alignment;
  if (units < (2 << class_bits)) return {units, units * alignment};
  const int shift = std::bit_width(units) - 1 - class_bits;
  const size_t mantissa = (units + (size_t{1} << shift) - 1) >> shift;  // in [8, 16]; 16 is the next octave's 8
  return {(static_cast<size_t>(shift) << class_bits) + mantissa, (mantissa << shift) * alignment};
}

void* take_from_system(size_t size) {
#ifdef _WIN32
  return _aligned_malloc(size, alignment);
#else
  if (size < mapped_from) {
    return std::aligned_alloc(alignment, size);
  }
  void* const block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return nullptr;
#ifdef MADV_HUGEPAGE
  if (size >= huge_from) madvise(block, size, MADV_HUGEPAGE);
#endif
  return block;
#endif
}

void give_to_system(Block* block) {
  [[maybe_unused]] const size_t size = block->size;
  allow(block, size);
#ifdef _WIN32
  _aligned_free(block);
#else
  if (size < mapped_from) {
    std::free(block);
  } else {
    munmap(block, size);
  }
#endif
}

class CountingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const c10::Device cpu(c10::DeviceType::CPU);
    if (bytes == 0) return {nullptr, nullptr, &free_data, cpu};
    void* const data = take(bytes);
    return {data, data, &free_data, cpu};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &free_data; }

  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }

  AllocatorCounts counts() const { return {allocated_.load(), reserved_.load(), peak_.load()}; }

  void reset_peak() { peak_.store(allocated_.load()); }

  void set_budget(size_t bytes) { budget_.store(static_cast<int64_t>(bytes)); }

  void empty_cache() {
    Block* freed = nullptr;
    {
      const std::lock_guard guard(mutex_);
      while (oldest_ != nullptr) freed = chain(freed, forget(oldest_));
    }
    release_chain(freed);
  }

 private:
  static void free_data(void* data);

  void* take(size_t bytes) {
    if (bytes > (size_t{1} << 62)) fail(bytes, "more than any system has");
    const auto count = static_cast<int64_t>(bytes);
    const int64_t now = allocated_.fetch_add(count) + count;
    const int64_t budget = budget_.load(std::memory_order_relaxed);
    if (budget > 0 && now > budget && bytes >= bounded_from) {
      allocated_.fetch_sub(count);
      fail(bytes, "above the limit of " + std::to_string(budget) + " bytes");
    }
    const SizeClass wanted = size_class(bytes + sizeof(Block));
    Block* block = reuse(wanted);
    if (block == nullptr) {
      block = static_cast<Block*>(take_from_system(wanted.size));
      if (block == nullptr) {
        empty_cache();
        block = static_cast<Block*>(take_from_system(wanted.size));
      }
      if (block == nullptr) {
        allocated_.fetch_sub(count);
        fail(bytes, "which the system does not have");
      }
      block->size = wanted.size;
      reserved_.fetch_add(static_cast<int64_t>(wanted.size));
    }
    block->asked = bytes;
    allow(block->data(), bytes);
    forbid(static_cast<std::byte*>(block->data()) + bytes, block->size - sizeof(Block) - bytes);
    raise(peak_, now);
    raise(high_water_, now);
    if (c10::memoryProfilingEnabled()) report(block->data(), count);
    return block->data();
  }

  void give(void* data) {
    Block* const block = Block::of(data);
    const auto count = static_cast<int64_t>(block->asked);
    allocated_.fetch_sub(count);
    if (c10::memoryProfilingEnabled()) report(data, -count);
    release_chain(keep(block));
  }

  Block* reuse(const SizeClass& wanted) {
    const std::lock_guard guard(mutex_);
    Block* const block = classes_[wanted.index];
    return block == nullptr ? nullptr : forget(block);
  }

  /// Keeps the block and answers the chain of those that must go instead, oldest first.
  Block* keep(Block* block) {
    forbid(block->data(), block->size - sizeof(Block));
    const std::lock_guard guard(mutex_);
    const size_t index = size_class(block->size).index;
    block->class_previous = nullptr;
    block->class_next = classes_[index];
    if (block->class_next != nullptr) block->class_next->class_previous = block;
    classes_[index] = block;
    block->newer = nullptr;
    block->older = newest_;
    (newest_ == nullptr ? oldest_ : newest_->newer) = block;
    newest_ = block;
    kept_ += static_cast<int64_t>(block->size);

    const int64_t most = std::max(least_cache, 2 * high_water_.load(std::memory_order_relaxed));
    Block* freed = nullptr;
    while (kept_ > most && oldest_ != nullptr) freed = chain(freed, forget(oldest_));
    return freed;
  }

  /// Unlinks a kept block; the mutex is held.
  Block* forget(Block* block) {
    if (block->class_previous == nullptr) {
      classes_[size_class(block->size).index] = block->class_next;
    } else {
      block->class_previous->class_next = block->class_next;
    }
    if (block->class_next != nullptr) block->class_next->class_previous = block->class_previous;
    (block->newer == nullptr ? newest_ : block->newer->older) = block->older;
    (block->older == nullptr ? oldest_ : block->older->newer) = block->newer;
    kept_ -= static_cast<int64_t>(block->size);
    return block;
  }

  static Block* chain(Block* rest, Block* block) {
    block->class_next = rest;
    return block;
  }

  /// Outside the mutex: unmapping is slow.
  void release_chain(Block* block) {
    while (block != nullptr) {
      Block* const next = block->class_next;
      reserved_.fetch_sub(static_cast<int64_t>(block->size));
      give_to_system(block);
      block = next;
    }
  }

  static void raise(std::atomic<int64_t>& most, int64_t value) {
    int64_t seen = most.load(std::memory_order_relaxed);
    while (seen < value && !most.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }

  void report(void* data, int64_t bytes) const {
    c10::reportMemoryUsageToProfiler(data, bytes, static_cast<size_t>(allocated_.load()),
                                     static_cast<size_t>(reserved_.load()), c10::Device(c10::DeviceType::CPU));
  }

  [[noreturn]] void fail(size_t bytes, const std::string& why) const {
    TORCH_CHECK_WITH(OutOfMemoryError, false, "Out of memory on the CPU: ", bytes, " bytes were asked for with ",
                     allocated_.load(), " in use, ", why, ".");
  }

  std::atomic<int64_t> allocated_{0};
  std::atomic<int64_t> reserved_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> high_water_{0};
  std::atomic<int64_t> budget_{0};
  // One lock for all lists: an operation on them is a handful of pointers, and few threads allocate.
  std::mutex mutex_;
  std::array<Block*, class_count> classes_{};
  Block* newest_ = nullptr;
  Block* oldest_ = nullptr;
  int64_t kept_ = 0;
};

/// Never destroyed: tensors in static storage may die after it would.
CountingAllocator& allocator() {
  static auto* const instance = new CountingAllocator;
  return *instance;
}

void CountingAllocator::free_data(void* data) {
  if (data != nullptr) allocator().give(data);
}

}  // namespace

void install_cpu_allocator() {
  c10::SetCPUAllocator(&allocator());
}

AllocatorCounts cpu_counts() {
  return allocator().counts();
}

void reset_cpu_peak() {
  allocator().reset_peak();
}

void empty_cpu_cache() {
  allocator().empty_cache();
}

void set_cpu_budget(size_t bytes) {
  allocator().set_budget(bytes);
}

}  // namespace gradloom
