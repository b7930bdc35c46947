#include "lobug/base/utf8.h"

namespace lobug {
namespace {

/// The lead bytes that have `more` bytes behind them, and the range of the first of these: the
/// table 3-7 of the Unicode Standard. The rest is always 0x80 to 0xBF.
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
      if ((byte(i) & 0xC0U) != 0x80U) return 0;
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

}  // namespace lobug
