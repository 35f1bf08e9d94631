// Data packs as they lie on disk: mapped columns of parts, and splits that pick samples of a part.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/files.h"
#include "core/plan.h"

namespace gradloom {

/// A column's file: mapped, or, where that would fill the process's memory, read row by row.
class Column {
 public:
  /// Throws DATA_MISSING, and DATA_TRUNCATED when the file holds fewer than `count` samples. A file of more than
  /// `most_mapped` bytes is not mapped.
  Column(const ColumnPlan& plan, int64_t count, uint64_t most_mapped = most_mapped_bytes());

  ColumnType type() const { return type_; }
  /// What stored values are divided by; 0: they are as they are.
  float scale() const { return scale_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t row_elements() const { return row_elements_; }
  size_t row_bytes() const { return row_bytes_; }

  /// GRADLOOM_MAP_LIMIT, or a size that nobody minds to see in a process.
  static uint64_t most_mapped_bytes();

 private:
  friend class RowReader;

  std::unique_ptr<const MappedFile> mapped_;
  std::unique_ptr<const SharedFile> shared_;
  ColumnType type_;
  float scale_;
  std::vector<int64_t> shape_;
  int64_t row_elements_;
  size_t row_bytes_;
};

/// Some rows of a column, one after the other; each thread has its own reader.
class RowReader {
 public:
  /// The system begins to fetch what is not in memory yet. `rows` must outlive it.
  RowReader(const Column& column, std::span<const int64_t> rows);

  size_t size() const { return rows_.size(); }

  /// Row `rows[i]`, until the next call.
  const std::byte* row(size_t i);

  /// The first `bytes` of row `rows[i]`.
  void copy(size_t i, void* to, size_t bytes) const;

 private:
  uint64_t offset(size_t i) const { return static_cast<uint64_t>(rows_[i]) * column_.row_bytes(); }

  const Column& column_;
  std::span<const int64_t> rows_;
  std::unique_ptr<std::byte[]> buffer_;
};

struct Part {
  Column input;
  Column target;
};

class Split {
 public:
  /// Throws DATA_FORMAT when an index lies outside the part.
  Split(const SplitPlan& plan, std::shared_ptr<const Part> part, int64_t part_count);

  int64_t count() const { return count_; }
  const Part& part() const { return *part_; }

  /// The part's row at a position of the split.
  int64_t row(int64_t position) const { return indices_ == nullptr ? position : indices_[position]; }

 private:
  int64_t count_;
  std::shared_ptr<const Part> part_;
  std::unique_ptr<MappedFile> file_;
  const int64_t* indices_ = nullptr;
};

/// The plan's splits by name.
std::map<std::string, Split> open_splits(const Plan& plan);

}  // namespace gradloom
