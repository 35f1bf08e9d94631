// Flat storage by element type.
#include "core/session/buffers.h"

#include <ATen/ATen.h>

#include <map>

namespace gradloom {

namespace {

/// Each buffer starts at a multiple of this many elements, as kernels like it.
constexpr int64_t alignment = 16;

int64_t room(const at::Tensor& buffer) {
  return (buffer.numel() + alignment - 1) / alignment * alignment;
}

}  // namespace

Buffers::Buffers(const std::vector<at::Tensor>& buffers) {
  std::map<at::ScalarType, std::vector<at::Tensor>> by_type;
  for (const at::Tensor& buffer : buffers) by_type[buffer.scalar_type()].push_back(buffer);
  for (const auto& [type, members] : by_type) {
    int64_t total = 0;
    for (const at::Tensor& buffer : members) total += room(buffer);
    const at::Tensor flat = at::zeros({total}, members.front().options());
    int64_t offset = 0;
    for (at::Tensor buffer : members) {
      flat.narrow(0, offset, buffer.numel()).copy_(buffer.flatten());
      buffer.set_(flat.storage(), offset, buffer.sizes().vec(), buffer.strides().vec());
      offset += room(buffer);
    }
    flats_.push_back({flat, at::empty_like(flat)});
  }
}

void Buffers::save() {
  for (Flat& flat : flats_) flat.saved.copy_(flat.values);
}

void Buffers::restore() {
  for (Flat& flat : flats_) flat.values.copy_(flat.saved);
}

void Buffers::restore_where(const at::Tensor& flag) {
  if (flats_.empty()) return;
  const at::Tensor set = flag.to(at::kBool);
  for (Flat& flat : flats_) flat.values.copy_(at::where(set, flat.saved, flat.values));
}

}  // namespace gradloom
