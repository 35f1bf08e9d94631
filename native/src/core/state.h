// Named tensors to and from safetensors files: written durably, read as if by an enemy's hand.
#pragma once

#include <ATen/core/TensorBody.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gradloom {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// Writes CPU copies in the given order and fsyncs. Throws DISK_FULL, NOT_WRITABLE; a failed file is removed.
void write_safetensors(const std::string& path, const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata);

/// Reads tensors (owned, on the CPU) in the file's order. Throws WEIGHTS_FORMAT for anything malformed, FILE_NOT_FOUND,
/// NOT_READABLE.
NamedTensors read_safetensors(const std::string& path);

}  // namespace gradloom
