#include "lobug/net/utf8.h"

#include <cstddef>

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

/// Bytes of the character at `at`, 0 when it is none.
std::size_t length_of(Bytes bytes, std::size_t at) {
  const unsigned char lead = bytes[at];
  if (lead < 0x80) return 1;
  for (const Sequence& sequence : kSequences) {
    if (lead < sequence.first || lead > sequence.last) continue;
    if (bytes.size() - at <= sequence.more) return 0;
    const unsigned char second = bytes[at + 1];
    if (second < sequence.second_from || second > sequence.second_to) return 0;
    for (std::size_t i = 2; i <= sequence.more; ++i) {
      if ((bytes[at + i] & 0xC0U) != 0x80U) return 0;
    }
    return sequence.more + std::size_t{1};
  }
  return 0;
}

}  // namespace

bool is_utf8(Bytes bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t length = length_of(bytes, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace lobug
