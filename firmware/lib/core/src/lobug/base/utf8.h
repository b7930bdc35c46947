// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lobug {

/// What stands for broken bytes and for half a surrogate pair: U+FFFD, which is drawn as a box.
constexpr std::uint32_t kReplacement = 0xFFFD;
constexpr std::string_view kReplacementUtf8 = "\xEF\xBF\xBD";

/// Whether a byte is a later one of a character.
constexpr bool is_utf8_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// The longest beginning of `text` of at most `bytes` bytes that does not end within a character.
constexpr std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  while (end > 0 && is_utf8_continuation(text[end])) --end;
  return text.substr(0, end);
}

/// Length (1 to 4) of the character that `text` begins with; 0 when it begins with none, or with
/// one that is cut off.
std::size_t utf8_length(std::string_view text);

/// Whether all of it is UTF-8.
bool is_utf8(std::string_view text);

/// The character at `at`, which is moved past it. Broken bytes give kReplacement, one for each byte
/// that is not part of a character. `at` must be less than the text's size.
std::uint32_t decode_utf8(std::string_view text, std::size_t& at);

/// Writes one code point and returns its length, 1 to 4. A surrogate, or a number beyond U+10FFFF,
/// becomes U+FFFD.
std::size_t encode_utf8(std::uint32_t code_point, char (&into)[4]);

}  // namespace lobug
