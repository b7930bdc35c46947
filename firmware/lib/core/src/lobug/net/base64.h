// Base64 (RFC 4648, 4), as the WebSocket handshake needs it.
#pragma once

#include <cstddef>

#include "lobug/base/span.h"
#include "lobug/base/text.h"

namespace lobug {

/// Characters for `bytes` bytes, with the padding.
constexpr std::size_t base64_size(std::size_t bytes) { return (bytes + 2) / 3 * 4; }

/// `out` has room for `base64_size(bytes.size())` characters; no NUL is written.
void write_base64(Bytes bytes, char* out);

template <std::size_t N>
Text<base64_size(N)> base64_of(const unsigned char (&bytes)[N]) {
  char out[base64_size(N)];
  write_base64(Bytes(bytes, N), out);
  return Text<base64_size(N)>(std::string_view(out, sizeof out));
}

}  // namespace lobug
