#include "lobug/base/utf8.h"

namespace lobug {
namespace {

/// Lead bytes (`first` to `last`), how many bytes follow, and the range of the first of those:
/// table 3-7 of the Unicode Standard. The others are always 0x80 to 0xBF.
struct Sequence {
  unsigned char first;
  unsigned char last;
  unsigned char more;
  unsigned char second_from;
  unsigned char second_to;
};
constexpr Sequence kSequences[] = {{0xC2, 0xDF, 1, 0x80, 0xBF}, {0xE0, 0xE0, 2, 0xA0, 0xBF},
                                   {0xE1, 0xEC, 2, 0x80, 0xBF}, {0xED, 0xED, 2, 0x80, 0x9F},
                                   {0xEE, 0xEF, 2, 0x80, 0xBF}, {0xF0, 0xF0, 3, 0x90, 0xBF},
                                   {0xF1, 0xF3, 3, 0x80, 0xBF}, {0xF4, 0xF4, 3, 0x80, 0x8F}};

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) < 0x80) return 1;
  for (const Sequence& sequence : kSequences) {
    if (byte(0) < sequence.first || byte(0) > sequence.last) continue;
    if (text.size() <= sequence.more) return 0;
    if (byte(1) < sequence.second_from || byte(1) > sequence.second_to) return 0;
    for (std::size_t i = 2; i <= sequence.more; ++i) {
      if (!is_utf8_continuation(text[i])) return 0;
    }
    return sequence.more + std::size_t{1};
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::uint32_t decode_utf8(std::string_view text, std::size_t& at) {
  const std::size_t length = utf8_length(text.substr(at));
  const auto first = static_cast<unsigned char>(text[at]);
  if (length <= 1) {
    ++at;
    return length == 0 ? kReplacement : first;
  }
  // The lead byte of a character of `length` bytes holds 7 - `length` bits of it, the others 6
  // each.
  std::uint32_t character = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    character = (character << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  at += length;
  return character;
}

std::size_t encode_utf8(std::uint32_t code_point, char (&into)[4]) {
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  const std::uint32_t code = surrogate || code_point > 0x10FFFF ? kReplacement : code_point;
  const auto tail = [code](unsigned shift) {
    return static_cast<char>(0x80U | ((code >> shift) & 0x3FU));
  };
  if (code < 0x80) {
    into[0] = static_cast<char>(code);
    return 1;
  }
  if (code < 0x800) {
    into[0] = static_cast<char>(0xC0U | (code >> 6U));
    into[1] = tail(0);
    return 2;
  }
  if (code < 0x10000) {
    into[0] = static_cast<char>(0xE0U | (code >> 12U));
    into[1] = tail(6);
    into[2] = tail(0);
    return 3;
  }
  into[0] = static_cast<char>(0xF0U | (code >> 18U));
  into[1] = tail(12);
  into[2] = tail(6);
  into[3] = tail(0);
  return 4;
}

}  // namespace lobug
