#include "lobug/json/utf8.h"

namespace lobug::json {
namespace {

constexpr std::uint32_t kReplacementCode = 0xFFFD;

constexpr bool between(unsigned char byte, unsigned char low, unsigned char high) {
  return byte >= low && byte <= high;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = between(lead, 0xC2, 0xDF)   ? 2
                             : between(lead, 0xE0, 0xEF) ? 3
                             : between(lead, 0xF0, 0xF4) ? 4
                                                         : 0;
  if (length == 0 || text.size() < length) return 0;
  // The second byte decides whether a form is overlong, a surrogate or beyond the last character.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (!between(byte(1), low, high)) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!between(byte(i), 0x80, 0xBF)) return 0;
  }
  return length;
}

std::size_t write_utf8(std::uint32_t code_point, char (&into)[4]) {
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  const std::uint32_t code = surrogate || code_point > 0x10FFFF ? kReplacementCode : code_point;
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

}  // namespace lobug::json
