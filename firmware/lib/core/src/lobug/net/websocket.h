// RFC 6455 for a client, without a socket: bytes in, events out, and the reverse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/random.h"
#include "lobug/base/span.h"
#include "lobug/base/text.h"
#include "lobug/ports/crypto.h"

namespace lobug {

enum class WebSocketFault : std::uint8_t {
  kNone,
  kHandshake,   ///< the answer is not a WebSocket's, or its accept key is wrong
  kRefused,     ///< the answer has another status than 101: see `http_status`
  kProtocol,    ///< reserved bits, a masked frame, a broken control or continuation frame
  kTooLarge,    ///< a message or a header longer than the buffer
  kText,        ///< a text message is not UTF-8
};

/// What one call of `WebSocket::next` found.
struct WebSocketEvent {
  enum class Kind : std::uint8_t {
    kNone,     ///< more bytes are needed
    kOpen,     ///< the handshake succeeded
    kText,     ///< data: one whole message, whatever fragments it came in
    kBinary,
    kClosed,   ///< the server closed with `close_code` (1005 when it gave none)
    kFault,
  };
  Kind kind = Kind::kNone;
  Bytes data;  ///< valid until the next call
  std::uint16_t close_code = 0;
  Text<123> close_reason;
  WebSocketFault fault = WebSocketFault::kNone;
};

/// Header lines that are sent with the handshake; empty values are left out.
struct WebSocketRequest {
  std::string_view host;   ///< with the port
  std::string_view path;
  std::string_view token;  ///< sent as `Authorization: Bearer`
  std::string_view device_id;
  std::string_view client_id;
};

/// One connection. Owns no memory: `in` bounds the longest message (and handshake), `out` what can
/// wait to be sent. Pings are answered by itself.
class WebSocket {
 public:
  WebSocket(MutableBytes in, MutableBytes out, Random& random, Crypto& crypto);

  /// Forget everything and begin a handshake; its bytes are then in `pending`.
  void start(const WebSocketRequest& request);
  /// Bytes that arrived; returns how many were taken. Call `next` until kNone, then offer the rest.
  std::size_t feed(Bytes bytes);
  WebSocketEvent next();

  /// False when it does not fit into what waits already; nothing of it is then sent.
  bool send_text(std::string_view text);
  bool send_binary(Bytes data);
  bool send_ping();
  /// Say goodbye; nothing can be sent after it.
  void send_close(std::uint16_t code);

  /// Bytes to be written to the connection, and that so many were.
  Bytes pending() const;
  void sent(std::size_t count);
  /// Room for the payload of one more message, bytes.
  std::size_t room() const;
  bool is_open() const;
  /// Status of a handshake that was refused, 0 otherwise.
  int http_status() const;
  /// True once after a pong arrived.
  bool take_pong();

 private:
  MutableBytes in_;
  MutableBytes out_;
  Random& random_;
  Crypto& crypto_;
};

}  // namespace lobug
