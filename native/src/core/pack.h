// Data packs as they lie on disk: mapped columns of parts, and splits that pick samples of a part.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/files.h"
#include "core/plan.h"

namespace gradloom {

class Column {
 public:
  /// Throws DATA_MISSING, and DATA_TRUNCATED when the file holds fewer than `count` samples.
  Column(const ColumnPlan& plan, int64_t count);

  ColumnType type() const { return type_; }
  bool scaled() const { return scaled_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t row_elements() const { return row_elements_; }
  size_t row_bytes() const { return row_bytes_; }
  const std::byte* row(int64_t index) const { return file_.data() + static_cast<size_t>(index) * row_bytes_; }

 private:
  MappedFile file_;
  ColumnType type_;
  bool scaled_;
  std::vector<int64_t> shape_;
  int64_t row_elements_;
  size_t row_bytes_;
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
