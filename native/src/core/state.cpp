// The safetensors format: eight bytes of header length, a JSON header, then the tensors' bytes without gaps.
#include "core/state.h"

#include "core/errors.h"
#include "core/files.h"

#include <ATen/EmptyTensor.h>

#include <bit>
#include <cstring>

namespace gradloom {

namespace {

using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little,
              "safetensors and data packs are little-endian and read as they are");

// What the reference implementation allows.
constexpr uint64_t longest_header = 100'000'000;

struct TypeName {
  const char* name;
  at::ScalarType type;
};

constexpr std::array<TypeName, 13> type_names{{
    {"F64", at::kDouble},
    {"F32", at::kFloat},
    {"F16", at::kHalf},
    {"BF16", at::kBFloat16},
    {"I64", at::kLong},
    {"I32", at::kInt},
    {"I16", at::kShort},
    {"I8", at::kChar},
    {"U8", at::kByte},
    {"BOOL", at::kBool},
    {"U16", at::kUInt16},
    {"U32", at::kUInt32},
    {"U64", at::kUInt64},
}};

struct Entry {
  std::string name;
  at::ScalarType type;
  std::vector<int64_t> shape;
  uint64_t begin;
  uint64_t end;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(path) {}

  NamedTensors read() {
    const std::vector<Entry> entries = parse_header();
    check_coverage(entries);
    NamedTensors tensors;
    tensors.reserve(entries.size());
    for (const Entry& entry : entries) {
      const at::Tensor tensor = at::detail::empty_cpu(entry.shape, entry.type);
      const size_t bytes = entry.end - entry.begin;
      if (!file_.read(data_start_ + entry.begin, tensor.data_ptr(), bytes)) fail("it ended while it was read");
      tensors.emplace_back(entry.name, tensor);
    }
    return tensors;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error("WEIGHTS_FORMAT", path_ + " is no whole safetensors file: " + why + ".",
                "Choose another file, or write it again from where it came.", path_);
  }

  std::vector<Entry> parse_header() {
    uint64_t length = 0;
    if (!file_.read(0, &length, sizeof length)) fail("it is shorter than its first eight bytes");
    if (length > longest_header || length > file_.size() - sizeof length)
      fail("its header would be longer than allowed or than the file");
    std::string text(length, '\0');
    if (!file_.read(sizeof length, text.data(), length)) fail("it ended while it was read");
    data_start_ = sizeof length + length;
    data_size_ = file_.size() - data_start_;
    const ordered_json header = ordered_json::parse(text, nullptr, false);
    if (!header.is_object()) fail("its header is not a JSON object");
    std::vector<Entry> entries;
    for (const auto& [name, value] : header.items()) {
      if (name != "__metadata__") entries.push_back(parse_entry(name, value));
    }
    return entries;
  }

  Entry parse_entry(const std::string& name, const ordered_json& value) const {
    if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") || !value.contains("data_offsets")) {
      fail("its header gives no dtype, shape and data_offsets for " + name);
    }
    Entry entry{name, parse_type(name, value["dtype"]), {}, 0, 0};
    const ordered_json& shape = value["shape"];
    if (!shape.is_array()) fail("the shape of " + name + " is no list");
    uint64_t bytes = c10::elementSize(entry.type);
    for (const ordered_json& size : shape) {
      if (!size.is_number_unsigned()) fail("the shape of " + name + " holds no sizes");
      const auto dim = size.get<uint64_t>();
      // Bytes beyond the file's are wrong anyway: the product never overflows.
      if (dim > longest_size || (dim != 0 && bytes > longest_size / dim))
        fail("the shape of " + name + " is larger than any file");
      bytes *= dim;
      entry.shape.push_back(static_cast<int64_t>(dim));
    }
    const ordered_json& offsets = value["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned()) {
      fail("the data_offsets of " + name + " are no pair of positions");
    }
    entry.begin = offsets[0].get<uint64_t>();
    entry.end = offsets[1].get<uint64_t>();
    if (entry.begin > entry.end || entry.end > data_size_) fail(name + " lies outside the file");
    if (entry.end - entry.begin != bytes) fail(name + " has not the bytes its shape and type need");
    return entry;
  }

  at::ScalarType parse_type(const std::string& name, const ordered_json& value) const {
    if (!value.is_string()) fail("the dtype of " + name + " is no text");
    const auto& text = value.get_ref<const std::string&>();
    for (const TypeName& known : type_names) {
      if (text == known.name) return known.type;
    }
    fail("the dtype " + text + " of " + name + " is not known here");
  }

  /// No gaps and no overlaps, as the reference implementation demands: nothing hides between the tensors.
  void check_coverage(std::vector<Entry> entries) const {
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
    uint64_t position = 0;
    for (const Entry& entry : entries) {
      if (entry.begin != position) fail(entry.name + " overlaps another tensor or follows a gap");
      position = entry.end;
    }
    if (position != data_size_) fail("there are bytes that belong to no tensor");
  }

  static constexpr uint64_t longest_size = uint64_t{1} << 60;

  std::string path_;
  InputFile file_;
  uint64_t data_start_ = 0;
  uint64_t data_size_ = 0;
};

const char* type_name(at::ScalarType type) {
  for (const TypeName& known : type_names) {
    if (type == known.type) return known.name;
  }
  throw Error("INTERNAL", std::string("Tensors of type ") + c10::toString(type) + " cannot be written to safetensors.");
}

}  // namespace

void write_safetensors(const std::string& path, const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata) {
  // Wide elements first keeps every tensor aligned to its element size, which readers that map the file rely on.
  std::vector<size_t> order(tensors.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return tensors[a].second.element_size() > tensors[b].second.element_size();
  });
  std::vector<uint64_t> begins(tensors.size());
  uint64_t position = 0;
  for (const size_t i : order) {
    begins[i] = position;
    position += tensors[i].second.nbytes();
  }

  ordered_json header = ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    header[name] = {{"dtype", type_name(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {begins[i], begins[i] + tensor.nbytes()}}};
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t length = text.size();

  OutputFile file(path);
  file.write(&length, sizeof length);
  file.write(text.data(), text.size());
  for (const size_t i : order) {
    const at::Tensor plain = tensors[i].second.detach().to(at::kCPU).contiguous();
    file.write(plain.const_data_ptr(), plain.nbytes());
  }
  file.finish();
}

NamedTensors read_safetensors(const std::string& path) {
  return Reader(path).read();
}

}  // namespace gradloom
