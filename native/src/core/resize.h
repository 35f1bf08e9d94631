// Geometry of one decoded image on its way into a pack: turned upright, resized as torchvision does, cut or padded.
// Free of torch headers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gradloom {

struct ResizeRequest {
  const uint8_t* pixels = nullptr;  // height × width × channels; two little-endian bytes a value where `bytes` is 2
  size_t size = 0;                  // of `pixels`
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 1;
  int64_t bytes = 1;
  int64_t orientation = 1;           // EXIF's: how the stored pixels must be turned to stand upright
  std::array<int64_t, 2> resized{};  // height and width of the upright image afterwards
  bool nearest = false;              // else bilinear with antialiasing
  std::array<int64_t, 4> window{};   // top, left, height, width of what is kept; beyond the image is fill
  std::vector<int64_t> fill;         // one value a channel
};

/// channels × window height × window width, values as wide as those given. Of bytes, ATen's own resize answers,
/// on the calling thread alone.
std::vector<uint8_t> resize_image(const ResizeRequest& request);

}  // namespace gradloom
