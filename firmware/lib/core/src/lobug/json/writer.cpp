#include "lobug/json/writer.h"

#include <cmath>

#include "lobug/base/utf8.h"

namespace lobug::json {

Writer& Writer::begin(char bracket) {
  before_value();
  put(bracket);
  ++depth_;
  comma_ = false;
  return *this;
}

Writer& Writer::end(char bracket) {
  put(bracket);
  --depth_;
  comma_ = true;
  return *this;
}

Writer& Writer::name(std::string_view name) {
  before_value();
  string(name);
  put(':');
  comma_ = false;
  return *this;
}

Writer& Writer::text(std::string_view value) {
  before_value();
  string(value);
  comma_ = true;
  return *this;
}

Writer& Writer::raw(std::string_view json) {
  before_value();
  put(json);
  comma_ = true;
  return *this;
}

Writer& Writer::number(std::int64_t value) {
  char digits[20];  // the longest is -9223372036854775808
  std::size_t at = sizeof digits;
  // Unsigned, since the smallest number has no positive counterpart.
  auto rest = static_cast<std::uint64_t>(value);
  if (value < 0) rest = 0 - rest;
  do {
    digits[--at] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (value < 0) digits[--at] = '-';
  return raw({digits + at, sizeof digits - at});
}

Writer& Writer::decimal(float value, int places) {
  if (!std::isfinite(value)) return raw("null");
  constexpr double kMost = 1e9;
  std::int64_t unit = 1;
  for (int i = 0; i < places; ++i) unit *= 10;
  const double kept = std::fmin(std::fmax(static_cast<double>(value), -kMost), kMost);
  const auto scaled = static_cast<std::int64_t>(std::llround(kept * static_cast<double>(unit)));
  const std::int64_t size = scaled < 0 ? -scaled : scaled;
  before_value();
  if (scaled < 0) put('-');
  comma_ = false;
  number(size / unit);
  if (places > 0) {
    put('.');
    std::int64_t rest = size % unit;
    for (std::int64_t place = unit / 10; place > 0; place /= 10) {
      put(static_cast<char>('0' + rest / place));
      rest %= place;
    }
  }
  comma_ = true;
  return *this;
}

void Writer::rewind(const Mark& mark) {
  length_ = mark.length;
  depth_ = mark.depth;
  comma_ = mark.comma;
  fits_ = true;
}

void Writer::before_value() {
  if (comma_) put(',');
}

void Writer::string(std::string_view text) {
  put('"');
  while (!text.empty() && fits_) {
    const std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0) {
      put(kReplacementUtf8);
    } else if (first < 0x20 || first == '"' || first == '\\') {
      escape(first);
    } else {
      put(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  put('"');
}

void Writer::escape(unsigned char character) {
  constexpr std::string_view kCharacters = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  constexpr std::string_view kHex = "0123456789abcdef";
  put('\\');
  const std::size_t place = kCharacters.find(static_cast<char>(character));
  if (place != std::string_view::npos) {
    put(kLetters[place]);
    return;
  }
  put("u00");
  put(kHex[character >> 4U]);
  put(kHex[character & 15U]);
}

void Writer::put(std::string_view bytes) {
  if (!fits_ || bytes.size() > room()) {
    fits_ = false;
    return;
  }
  for (const char byte : bytes) into_[length_++] = byte;
}

}  // namespace lobug::json
