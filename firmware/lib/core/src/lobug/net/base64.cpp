#include "lobug/net/base64.h"

#include <cstdint>

namespace lobug {

void write_base64(Bytes bytes, char* out) {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = bytes.size() - at < 3 ? bytes.size() - at : 3;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8U | (i < count ? bytes[at + i] : 0U);
    for (std::size_t i = 0; i < 4; ++i) {
      *out++ = i <= count ? kAlphabet[bits >> (18U - 6U * i) & 63U] : '=';
    }
  }
}

}  // namespace lobug
