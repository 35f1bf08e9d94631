// A short constant list of names, for the argument columns of the kind tables.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace gradloom {

class Names {
 public:
  constexpr Names(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) names_[size_++] = name;
  }
  constexpr const std::string_view* begin() const { return names_.data(); }
  constexpr const std::string_view* end() const { return names_.data() + size_; }

 private:
  std::array<std::string_view, 16> names_{};
  std::size_t size_ = 0;
};

}  // namespace gradloom
