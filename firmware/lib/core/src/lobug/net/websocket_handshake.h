// The opening handshake of RFC 6455 (4), of a client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/random.h"
#include "lobug/base/span.h"
#include "lobug/base/text.h"
#include "lobug/ports/crypto.h"

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

/// Header lines that are sent with the handshake; empty values are left out. Printable ASCII.
struct WebSocketRequest {
  std::string_view host;  ///< with the port
  std::string_view path;
  std::string_view token;  ///< sent as `Authorization: Bearer`
  std::string_view device_id;
  std::string_view client_id;
};

/// Sixteen random bytes in Base64, new for every connection.
using HandshakeKey = Text<base64_size(16)>;
/// The accept key that a WebSocket server derives from it (4.2.2).
using HandshakeAccept = Text<base64_size(20)>;

HandshakeKey make_handshake_key(Random& random);
HandshakeAccept accept_of(const HandshakeKey& key, Crypto& crypto);

struct HandshakeWritten {
  std::size_t size = 0;    ///< 0: nothing was written
  bool too_large = false;  ///< because it did not fit; else something in it cannot be sent
};
HandshakeWritten write_handshake(const WebSocketRequest& request, const HandshakeKey& key,
                                 MutableBytes out);

/// Reads the answer's head, line by line.
class HandshakeReader {
 public:
  enum class Step : std::uint8_t {
    kMore,
    kOpen,      ///< the server speaks WebSocket from here on
    kRefused,   ///< it answered with another status than 101
    kBroken,    ///< not the answer of a WebSocket server
    kTooLarge,  ///< more lines or bytes than any server sends
  };

  void start(const HandshakeAccept& accept);
  /// `line` without its end.
  Step take(std::string_view line);
  /// 0 until the first line came.
  int status() const { return status_; }

 private:
  Step take_header(std::string_view line);

  HandshakeAccept accept_;
  int status_ = 0;
  std::size_t lines_ = 0;
  std::size_t bytes_ = 0;
  bool upgrade_ = false;
  bool connection_ = false;
  bool accepted_ = false;
};

}  // namespace lobug
