// Text of bounded length that never allocates.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "lobug/base/utf8.h"

namespace lobug {

/// UTF-8 text of at most `N` bytes, always closed by a NUL. What does not fit is left out, and
/// `append` and `assign` say so.
template <std::size_t N>
class Text {
 public:
  Text() = default;
  Text(std::string_view text) { assign(text); }  // NOLINT(google-explicit-constructor)
  Text(const char* text) { assign(text); }       // NOLINT(google-explicit-constructor)

  /// False when the end had to be left out.
  bool assign(std::string_view text) {
    size_ = 0;
    return append(text);
  }
  /// False when the end had to be left out.
  bool append(std::string_view text) {
    const std::string_view fits = utf8_prefix(text, N - size_);
    for (const char character : fits) bytes_[size_++] = character;
    bytes_[size_] = '\0';
    return fits.size() == text.size();
  }
  bool append(char character) { return append(std::string_view(&character, 1)); }
  void clear() {
    size_ = 0;
    bytes_[0] = '\0';
  }

  std::string_view view() const { return {bytes_.data(), size_}; }
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)
  const char* c_str() const { return bytes_.data(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  static constexpr std::size_t capacity() { return N; }

  friend bool operator==(const Text& left, std::string_view right) { return left.view() == right; }
  friend bool operator!=(const Text& left, std::string_view right) { return left.view() != right; }

 private:
  std::array<char, N + 1> bytes_{};
  std::size_t size_ = 0;
};

}  // namespace lobug
