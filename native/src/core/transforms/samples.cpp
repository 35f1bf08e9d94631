// The same chain as the loader's, fed from memory.
#include "core/transforms/samples.h"

#include <ATen/ATen.h>

#include "core/errors.h"
#include "core/transforms/chain.h"

namespace gradloom {

namespace {

at::Tensor tensor_of(const std::vector<float>& values, std::vector<int64_t> dims) {
  return at::tensor(at::ArrayRef<float>(values), at::kFloat).view(dims);
}

std::vector<float> values_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.to(at::kFloat).contiguous();
  return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}

}  // namespace

Samples transform_samples(const SamplesRequest& request) {
  const auto count = static_cast<int64_t>(request.indices.size());
  const Chain chain(request.transforms, request.shape, c10::Device(c10::kCPU), request.seed);
  if (count == 0) return {chain.output(), {}, {}};
  std::vector<int64_t> dims{count};
  dims.insert(dims.end(), request.shape.begin(), request.shape.end());
  if (static_cast<int64_t>(request.values.size()) != c10::multiply_integers(dims))
    throw Error("BAD_CALL", "The values are not as many as the samples' shape says.");
  const ChainDraws draws = request.epoch ? chain.train(*request.epoch, request.indices) : chain.fixed(count);
  Samples samples{chain.output(), values_of(chain.apply(tensor_of(request.values, dims), draws)), {}};
  if (request.masks.empty()) return samples;
  const at::Tensor masks =
      tensor_of(request.masks, {count, request.shape.at(request.shape.size() - 2), request.shape.back()});
  samples.masks = values_of(chain.apply_masks(masks, draws, request.mask_fill));
  return samples;
}

SamplesRequest parse_samples_request(const std::string& text) {
  try {
    const nlohmann::json value = nlohmann::json::parse(text);
    const Args fields(value, "request");
    SamplesRequest request;
    request.transforms = parse_transforms(value);
    request.shape = fields.integers("shape");
    request.indices = fields.integers("indices");
    if (!fields.absent("epoch")) request.epoch = fields.integer("epoch");
    request.seed = static_cast<uint64_t>(fields.integer("seed"));
    request.mask_fill = fields.number("mask_fill");
    return request;
  } catch (const nlohmann::json::exception& error) {
    throw Error("BAD_CALL", std::string("The request is malformed: ") + error.what());
  }
}

}  // namespace gradloom
