// The loops that turn stored samples into batches. A byte's scaled and transformed value is looked up: 256 values a
// channel are computed once, by the very operations PyTorch would do on every sample.
#include "core/gather.h"

#include <ATen/EmptyTensor.h>

#include "core/errors.h"

#include <cstring>

namespace gradloom {

namespace {

/// 16-bit integers travel as signed ones, which every device has; see Loader.
at::ScalarType stored_type(ColumnType type) {
  switch (type) {
    case ColumnType::uint8:
      return at::kByte;
    case ColumnType::uint16:
      return at::kShort;
    case ColumnType::float32:
      return at::kFloat;
    case ColumnType::int64:
      break;
  }
  return at::kLong;
}

/// As much of each row as the batch has room for.
void copy_rows(const Column& column, std::span<const int64_t> rows, const at::Tensor& batch) {
  if (rows.empty()) return;
  const RowReader reader(column, rows);
  const size_t bytes = batch.nbytes() / rows.size();
  auto* const to = static_cast<std::byte*>(batch.data_ptr());
  for (size_t i = 0; i < rows.size(); ++i) reader.copy(i, to + i * bytes, bytes);
}

float scaled(uint8_t byte) {
  return static_cast<float>(byte) / 255.0F;
}

/// Stored numbers as floats, without the transforms.
void to_floats(const Column& column, const std::byte* from, int64_t count, float* to) {
  if (column.type() == ColumnType::float32) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
    return;
  }
  const auto* const values = reinterpret_cast<const uint16_t*>(from);
  const float scale = column.scale();
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(values[i]);
    to[i] = scale == 0 ? value : value / scale;
  }
}

}  // namespace

Gatherer::Gatherer(const Chain& chain, bool finished, bool pin)
    : stored_(chain.input()),
      shape_(finished ? chain.output() : chain.input()),
      transforms_(chain.pointwise()),
      finished_(finished),
      pin_(pin),
      channels_(shape_.empty() ? 1 : shape_.front()) {
  if (!finished_) return;
  for (const bool scale : {false, true}) {
    std::vector<float>& table = tables_[scale ? 1 : 0];
    table.resize(static_cast<size_t>(channels_) * 256);
    for (int64_t channel = 0; channel < channels_; ++channel) {
      float* const values = table.data() + channel * 256;
      for (int byte = 0; byte < 256; ++byte)
        values[byte] = scale ? scaled(static_cast<uint8_t>(byte)) : static_cast<float>(byte);
      for (const Pointwise* const transform : transforms_) transform->change(values, 256, channel);
    }
  }
  for (const auto& [index, value] : chain.fills()) {
    fills_.resize(static_cast<size_t>((index + 1) * channels_));
    for (int64_t channel = 0; channel < channels_; ++channel) {
      float& fill = fills_[static_cast<size_t>(index * channels_ + channel)];
      fill = value;
      for (const Pointwise* const transform : transforms_) {
        if (transform->index > index) transform->change(&fill, 1, channel);
      }
    }
  }
}

Gathered Gatherer::gather(const Part& part, std::span<const int64_t> rows, std::span<const Warp> warps,
                          int64_t length) const {
  at::Tensor target = gather_target(part.target, rows);
  if (mask_fill_ && !warps.empty()) target = moved(target, warps);
  return {gather_input(part.input, rows, warps, length), std::move(target), finished_ ? 0.0F : part.input.scale(), {}};
}

at::Tensor Gatherer::moved(const at::Tensor& masks, std::span<const Warp> warps) const {
  const int64_t height = masks.size(1);
  const int64_t width = masks.size(2);
  const auto count = static_cast<size_t>(masks.size(0));
  at::Tensor result = empty(count, {shape_[1], shape_[2]}, at::kLong);
  int64_t* to = result.data_ptr<int64_t>();
  for (size_t i = 0; i < count; ++i) {
    const int64_t* const from = masks.const_data_ptr<int64_t>() + static_cast<int64_t>(i) * height * width;
    const Warp& warp = warps[warps.size() == 1 ? 0 : i];
    for (const int32_t row : warp.rows) {
      for (const int32_t column : warp.columns)
        *to++ = std::min(row, column) < 0 ? *mask_fill_ : from[row * width + column];
    }
  }
  return result;
}

at::Tensor Gatherer::empty(size_t rows, const std::vector<int64_t>& shape, at::ScalarType type) const {
  std::vector<int64_t> dims{static_cast<int64_t>(rows)};
  dims.insert(dims.end(), shape.begin(), shape.end());
  return at::detail::empty_cpu(dims, type, pin_);
}

at::Tensor Gatherer::gather_input(const Column& column, std::span<const int64_t> rows,
                                  std::span<const Warp> warps, int64_t length) const {
  if (!finished_ || column.type() == ColumnType::int64) {
    at::Tensor batch = empty(rows.size(), length > 0 ? std::vector{length} : shape_, stored_type(column.type()));
    copy_rows(column, rows, batch);
    return batch;
  }
  at::Tensor batch = empty(rows.size(), shape_, at::kFloat);
  float* to = batch.data_ptr<float>();
  const int64_t elements = batch.numel() / std::max<int64_t>(static_cast<int64_t>(rows.size()), 1);
  RowReader reader(column, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::byte* const from = reader.row(i);
    if (warps.empty()) {
      finish(column, from, to);
    } else {
      finish(column, from, to, warps[warps.size() == 1 ? 0 : i]);
    }
    to += elements;
  }
  return batch;
}

void Gatherer::finish(const Column& column, const std::byte* from, float* to, const Warp& warp) const {
  const int64_t width = stored_[2];
  const int64_t plane = stored_[1] * width;
  std::vector<float> values;  // of a channel, where no table has them
  if (column.type() != ColumnType::uint8) values.resize(static_cast<size_t>(plane));
  for (int64_t channel = 0; channel < channels_; ++channel) {
    const float* const fills = fills_.data() + channel;
    const auto move = [&](const auto& value) {
      for (const int32_t row : warp.rows) {
        for (const int32_t place : warp.columns) {
          const int32_t outside = std::min(row, place);  // of two fills the later one
          *to++ = outside < 0 ? fills[(-1 - outside) * channels_] : value(row * width + place);
        }
      }
    };
    if (column.type() != ColumnType::uint8) {
      to_floats(column, from + static_cast<size_t>(channel) * (column.row_bytes() / static_cast<size_t>(channels_)),
                plane, values.data());
      for (const Pointwise* const transform : transforms_) transform->change(values.data(), plane, channel);
      move([&](int64_t at) { return values[static_cast<size_t>(at)]; });
    } else {
      const auto* const bytes = reinterpret_cast<const uint8_t*>(from) + channel * plane;
      const float* const table = tables_[column.scale() != 0 ? 1 : 0].data() + channel * 256;
      move([&](int64_t at) { return table[bytes[at]]; });
    }
  }
}

void Gatherer::finish(const Column& column, const std::byte* from, float* to) const {
  const int64_t plane = column.row_elements() / channels_;
  if (column.type() != ColumnType::uint8) {
    to_floats(column, from, column.row_elements(), to);
    for (int64_t channel = 0; channel < channels_; ++channel) {
      for (const Pointwise* const transform : transforms_) transform->change(to + channel * plane, plane, channel);
    }
    return;
  }
  const auto* const bytes = reinterpret_cast<const uint8_t*>(from);
  for (int64_t channel = 0; channel < channels_; ++channel) {
    const float* const table = tables_[column.scale() != 0 ? 1 : 0].data() + channel * 256;
    for (int64_t i = channel * plane; i < (channel + 1) * plane; ++i) to[i] = table[bytes[i]];
  }
}

at::Tensor Gatherer::gather_target(const Column& column, std::span<const int64_t> rows) const {
  if (column.type() == ColumnType::float32 || column.type() == ColumnType::int64) {
    at::Tensor batch = empty(rows.size(), column.shape(), stored_type(column.type()));
    copy_rows(column, rows, batch);
    return batch;
  }
  RowReader reader(column, rows);
  const float scale = column.scale();
  at::Tensor batch = empty(rows.size(), column.shape(), scale != 0 ? at::kFloat : at::kLong);
  const auto convert = [&]<typename From>(const From*) {
    const auto fill = [&](auto* to, const auto& value) {
      for (size_t i = 0; i < rows.size(); ++i) {
        const auto* const values = reinterpret_cast<const From*>(reader.row(i));
        to = std::transform(values, values + column.row_elements(), to, value);
      }
    };
    if (scale != 0) {
      fill(batch.data_ptr<float>(), [&](From value) { return static_cast<float>(value) / scale; });
    } else {
      fill(batch.data_ptr<int64_t>(), [](From value) { return static_cast<int64_t>(value); });
    }
  };
  if (column.type() == ColumnType::uint8) {
    convert(static_cast<const uint8_t*>(nullptr));
  } else {
    convert(static_cast<const uint16_t*>(nullptr));
  }
  return batch;
}

}  // namespace gradloom
