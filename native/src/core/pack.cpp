// Opens the files of data packs and checks, once, that every later access lies within them.
#include "core/pack.h"

#include "core/errors.h"
#include "core/transforms/chain.h"

#include <cstdlib>
#include <cstring>

namespace gradloom {

namespace {

size_t element_bytes(ColumnType type) {
  switch (type) {
    case ColumnType::uint8:
      return 1;
    case ColumnType::uint16:
      return 2;
    case ColumnType::float32:
      return 4;
    case ColumnType::int64:
      break;
  }
  return 8;
}

constexpr int64_t most_bytes = int64_t{1} << 60;

/// The product of sizes, refused where it could overflow.
int64_t elements_of(const std::vector<int64_t>& shape, const std::string& path) {
  int64_t elements = 1;
  for (const int64_t size : shape) {
    if (size < 1 || elements > most_bytes / size) {
      throw Error("DATA_FORMAT", "The shape given for " + path + " is no shape of a sample.", "Import the data again.",
                  path);
    }
    elements *= size;
  }
  return elements;
}

/// What the largest integer stands for, where integers stand for 0 to 1.
float scale_of(const ColumnPlan& plan) {
  if (!plan.scaled) return 0;
  return plan.type == ColumnType::uint8 ? 255.0F : plan.type == ColumnType::uint16 ? 65535.0F : 0.0F;
}

template <typename File>
void check_size(const File& file, int64_t rows, size_t row_bytes, const char* what) {
  const bool possible = rows >= 0 && row_bytes <= static_cast<size_t>(most_bytes) &&
                        (rows == 0 || rows <= most_bytes / static_cast<int64_t>(row_bytes));
  const uint64_t needed = possible ? static_cast<uint64_t>(rows) * row_bytes : UINT64_MAX;
  if (file.size() >= needed) return;
  throw Error("DATA_TRUNCATED",
              file.path() + " holds " + std::to_string(file.size()) + " bytes, but " + std::to_string(rows) + " " +
                  what + " of " + std::to_string(row_bytes) + " bytes were expected.",
              "Import the data again; the file was cut short after it was written.", file.path());
}

}  // namespace

uint64_t Column::most_mapped_bytes() {
  const char* const given = std::getenv("GRADLOOM_MAP_LIMIT");
  return given == nullptr ? uint64_t{256} << 20 : std::strtoull(given, nullptr, 10);
}

Column::Column(const ColumnPlan& plan, int64_t count, uint64_t most_mapped)
    : shared_(std::make_unique<SharedFile>(plan.path, "DATA_MISSING")),
      type_(plan.type),
      scale_(scale_of(plan)),
      shape_(plan.shape),
      row_elements_(elements_of(plan.shape, plan.path)),
      row_bytes_(static_cast<size_t>(row_elements_) * element_bytes(plan.type)) {
  check_size(*shared_, count, row_bytes_, "samples");
  if (shared_->size() > most_mapped) return;
  mapped_ = std::make_unique<MappedFile>(plan.path, "DATA_MISSING");
  shared_.reset();
  check_size(*mapped_, count, row_bytes_, "samples");
}

RowReader::RowReader(const Column& column, std::span<const int64_t> rows) : column_(column), rows_(rows) {
  if (column_.mapped_) return;
  for (size_t i = 0; i < rows_.size();) {
    size_t end = i + 1;
    while (end < rows_.size() && rows_[end] == rows_[end - 1] + 1) ++end;
    column_.shared_->announce(offset(i), (end - i) * column_.row_bytes());
    i = end;
  }
}

const std::byte* RowReader::row(size_t i) {
  if (column_.mapped_) return column_.mapped_->data() + offset(i);
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<std::byte[]>(column_.row_bytes());
  column_.shared_->read(offset(i), buffer_.get(), column_.row_bytes());
  return buffer_.get();
}

void RowReader::copy(size_t i, void* to, size_t bytes) const {
  if (column_.mapped_) {
    std::memcpy(to, column_.mapped_->data() + offset(i), bytes);
  } else {
    column_.shared_->read(offset(i), to, bytes);
  }
}

Split::Split(const SplitPlan& plan, std::shared_ptr<const Part> part, int64_t part_count)
    : count_(plan.count), part_(std::move(part)) {
  if (!plan.indices) {
    if (count_ >= 0 && count_ <= part_count) return;
    throw Error("DATA_COUNT", "A split wants " + std::to_string(count_) + " samples of a part that has " +
                                  std::to_string(part_count) + ".");
  }
  file_ = std::make_unique<MappedFile>(*plan.indices, "DATA_MISSING");
  check_size(*file_, count_, sizeof(int64_t), "indices");
  indices_ = reinterpret_cast<const int64_t*>(file_->data());
  for (int64_t i = 0; i < count_; ++i) {
    if (indices_[i] < 0 || indices_[i] >= part_count) {
      throw Error("DATA_FORMAT",
                  *plan.indices + " names sample " + std::to_string(indices_[i]) + " of a part that has " +
                      std::to_string(part_count) + ".",
                  "Start a new run: the split does not belong to this data.", *plan.indices);
    }
  }
}

std::map<std::string, Split> open_splits(const Plan& plan) {
  std::map<std::string, std::shared_ptr<const Part>> parts;
  const int64_t input_elements = elements_of(stored_shape(plan), "the plan's input");
  for (const auto& [name, part] : plan.parts) {
    if (elements_of(part.input.shape, part.input.path) != input_elements) {
      throw Error("DATA_FORMAT", "A sample of " + part.input.path + " has not as many values as the plan's input.",
                  "Import the data again.", part.input.path);
    }
    if (part.input.type == ColumnType::int64 && !plan.transforms.empty()) {
      throw Error("NOT_SUPPORTED", "Transforms apply to images and vectors, not to class indices or tokens.",
                  "Remove them.", "data.transforms");
    }
    parts.emplace(name, new Part{Column(part.input, part.count), Column(part.target, part.count)});
  }
  std::map<std::string, Split> splits;
  for (const auto& [name, split] : plan.splits) {
    const auto part = parts.find(split.part);
    if (part == parts.end())
      throw Error("BAD_CALL", "The split " + name + " names no part of the data: " + split.part + ".");
    splits.emplace(name, Split(split, part->second, plan.parts.at(split.part).count));
  }
  return splits;
}

}  // namespace gradloom
