#include "lobug/json/utf8.h"

namespace lobug::json {
namespace {

constexpr std::uint32_t kReplacementCode = 0xFFFD;

}  // namespace

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
