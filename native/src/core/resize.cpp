// ATen resizes; what only moves values is done in plain loops: images are resized many at once, each on a thread of its
// own, and ATen's copies would set its pool of threads to work from every one of them.
#include "core/resize.h"

#include "core/errors.h"

#include <c10/core/InferenceMode.h>

#include <cstring>

namespace gradloom {

namespace {

/// An image in memory, values of T; `_step` from one row, pixel or channel to the next, in values.
template <typename T>
struct Image {
  const T* values;
  int64_t height;
  int64_t width;
  int64_t channels;
  int64_t y_step;
  int64_t x_step;
  int64_t c_step;
};

/// Row by row, channels side by side.
template <typename T>
Image<T> interleaved(const T* values, int64_t height, int64_t width, int64_t channels) {
  return {values, height, width, channels, width * channels, channels, 1};
}

/// The pixels of a stored image in upright order: rows of EXIF orientations 5 to 8 are the columns of what is stored.
template <typename T>
std::vector<T> upright(const Image<T>& stored, int64_t orientation) {
  const bool turned = orientation > 4;
  const bool mirrored = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  const bool upside_down = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const int64_t height = turned ? stored.width : stored.height;
  const int64_t width = turned ? stored.height : stored.width;
  const int64_t down = stored.channels * (turned ? 1 : stored.width);
  const int64_t across = stored.channels * (turned ? stored.width : 1);
  std::vector<T> out(static_cast<size_t>(height * width * stored.channels));
  T* to = out.data();
  for (int64_t y = 0; y < height; ++y) {
    const T* const row = stored.values + (upside_down ? height - 1 - y : y) * down;
    for (int64_t x = 0; x < width; ++x) {
      const T* const from = row + (mirrored ? width - 1 - x : x) * across;
      for (int64_t c = 0; c < stored.channels; ++c) *to++ = from[c];
    }
  }
  return out;
}

/// ATen's nearest: the pixel at or before the position, in 32-bit floats.
template <typename T>
std::vector<T> nearest(const Image<T>& from, int64_t height, int64_t width) {
  const auto source = [](int64_t at, int64_t in, int64_t out) {
    const float scale = static_cast<float>(in) / static_cast<float>(out);
    return std::min(static_cast<int64_t>(std::floor(static_cast<float>(at) * scale)), in - 1);
  };
  std::vector<T> out;
  out.reserve(static_cast<size_t>(height * width * from.channels));
  for (int64_t y = 0; y < height; ++y) {
    const T* const row = from.values + source(y, from.height, height) * from.width * from.channels;
    for (int64_t x = 0; x < width; ++x) {
      const T* const pixel = row + source(x, from.width, width) * from.channels;
      out.insert(out.end(), pixel, pixel + from.channels);
    }
  }
  return out;
}

at::Tensor as_tensor(const void* values, const std::vector<int64_t>& dims, at::ScalarType type) {
  return at::from_blob(const_cast<void*>(values), dims, type);  // NOLINT: from_blob takes no const, nothing is written
}

template <typename T>
Image<T> image_of(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<T>(), tensor.size(2),   tensor.size(3),  tensor.size(1),
          tensor.stride(2),           tensor.stride(3), tensor.stride(1)};
}

/// Bilinear with antialiasing, as ATen lays it out. `from` is interleaved.
at::Tensor smooth(const Image<uint8_t>& from, int64_t height, int64_t width) {
  const at::Tensor image = as_tensor(from.values, {1, from.height, from.width, from.channels}, at::kByte);
  return at::_upsample_bilinear2d_aa(image.permute({0, 3, 1, 2}), {{height, width}}, false);
}

/// As torchvision does with numbers that ATen does not resize itself: as floats, rounded half to even.
std::vector<uint16_t> smooth(const Image<uint16_t>& from, int64_t height, int64_t width) {
  std::vector<float> floats(static_cast<size_t>(from.height * from.width * from.channels));
  const int64_t area = from.height * from.width;
  for (int64_t i = 0; i < area; ++i) {
    for (int64_t c = 0; c < from.channels; ++c) {
      floats[static_cast<size_t>(c * area + i)] = from.values[i * from.channels + c];
    }
  }
  const at::Tensor image = as_tensor(floats.data(), {1, from.channels, from.height, from.width}, at::kFloat);
  const at::Tensor resized = at::_upsample_bilinear2d_aa(image, {{height, width}}, false).contiguous();
  const auto* const values = resized.const_data_ptr<float>();
  std::vector<uint16_t> out(static_cast<size_t>(height * width * from.channels));
  for (int64_t i = 0; i < height * width; ++i) {
    for (int64_t c = 0; c < from.channels; ++c) {
      const float value = std::nearbyint(values[c * height * width + i]);
      out[static_cast<size_t>(i * from.channels + c)] = static_cast<uint16_t>(std::clamp(value, 0.0F, 65535.0F));
    }
  }
  return out;
}

/// The window of an image, a plane a channel.
template <typename T>
std::vector<uint8_t> planes(const Image<T>& from, const ResizeRequest& request) {
  const auto [top, left, height, width] = request.window;
  std::vector<uint8_t> bytes(static_cast<size_t>(from.channels * height * width) * sizeof(T));
  const int64_t first = std::clamp<int64_t>(-left, 0, width);
  const int64_t last = std::clamp<int64_t>(from.width - left, first, width);
  std::vector<T> row(static_cast<size_t>(width));
  uint8_t* to = bytes.data();
  for (int64_t c = 0; c < from.channels; ++c) {
    const T fill = static_cast<T>(request.fill[static_cast<size_t>(c)]);
    for (int64_t y = top; y < top + height; ++y) {
      std::fill(row.begin(), row.end(), fill);
      if (y >= 0 && y < from.height) {
        const T* const pixels = from.values + y * from.y_step + c * from.c_step;
        for (int64_t x = first; x < last; ++x) row[static_cast<size_t>(x)] = pixels[(left + x) * from.x_step];
      }
      std::memcpy(to, row.data(), row.size() * sizeof(T));
      to += row.size() * sizeof(T);
    }
  }
  return bytes;
}

template <typename T>
std::vector<uint8_t> resize(const ResizeRequest& request) {
  const c10::InferenceMode guard;
  std::vector<T> turned;
  Image<T> image = interleaved<T>(nullptr, request.height, request.width, request.channels);
  if constexpr (sizeof(T) == 1) {
    image.values = request.pixels;
  } else {  // what JavaScript hands over need not be aligned
    turned.resize(request.size / sizeof(T));
    std::memcpy(turned.data(), request.pixels, request.size);
    image.values = turned.data();
  }
  if (request.orientation > 1) {
    turned = upright(image, request.orientation);
    if (request.orientation > 4) std::swap(image.height, image.width);
    image = interleaved<T>(turned.data(), image.height, image.width, image.channels);
  }
  const auto [height, width] = request.resized;
  if (height == image.height && width == image.width) return planes(image, request);
  if constexpr (sizeof(T) == 1) {
    if (!request.nearest) {
      const at::Tensor resized = smooth(image, height, width);
      return planes(image_of<T>(resized), request);
    }
    const std::vector<T> resized = nearest(image, height, width);
    return planes(interleaved<T>(resized.data(), height, width, image.channels), request);
  } else {
    const std::vector<T> resized = request.nearest ? nearest(image, height, width) : smooth(image, height, width);
    return planes(interleaved<T>(resized.data(), height, width, image.channels), request);
  }
}

}  // namespace

std::vector<uint8_t> resize_image(const ResizeRequest& request) {
  const auto [height, width] = request.resized;
  const int64_t values = request.height * request.width * request.channels;
  const bool sound = request.height > 0 && request.width > 0 && request.channels > 0 && request.channels <= 4 &&
                     (request.bytes == 1 || request.bytes == 2) &&
                     static_cast<int64_t>(request.size) == values * request.bytes &&
                     height > 0 && width > 0 && request.window[2] > 0 &&
                     request.window[3] > 0 && request.orientation >= 1 && request.orientation <= 8 &&
                     static_cast<int64_t>(request.fill.size()) == request.channels;
  if (!sound) throw Error("BAD_CALL", "An image cannot be resized so.", {}, "resizeImage");
  return request.bytes == 1 ? resize<uint8_t>(request) : resize<uint16_t>(request);
}

}  // namespace gradloom
