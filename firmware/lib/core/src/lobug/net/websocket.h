// RFC 6455 for a client, without a socket: bytes in, events out, and the reverse.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/random.h"
#include "lobug/base/span.h"
#include "lobug/base/text.h"
#include "lobug/net/websocket_frame.h"
#include "lobug/net/websocket_handshake.h"
#include "lobug/ports/crypto.h"

namespace lobug {

enum class WebSocketFault : std::uint8_t {
  kNone,
  kHandshake,  ///< the answer is not a WebSocket's, or its accept key is wrong; or the request
               ///< holds something that cannot be sent
  kRefused,    ///< the answer has another status than 101: see `http_status`
  kProtocol,   ///< reserved bits, a masked frame, a broken control or continuation frame
  kTooLarge,   ///< a message or a header longer than the buffer
  kText,       ///< a text message is not UTF-8
};

/// What one call of `WebSocket::next` found.
struct WebSocketEvent {
  enum class Kind : std::uint8_t {
    kNone,  ///< more bytes are needed
    kOpen,  ///< the handshake succeeded
    kText,  ///< data: one whole message, whatever fragments it came in
    kBinary,
    kClosed,  ///< the server closed with `close_code` (1005 when it gave none)
    kFault,
  };
  Kind kind = Kind::kNone;
  Bytes data;  ///< valid until the next call of `next`, `feed` or `start`
  std::uint16_t close_code = 0;
  Text<123> close_reason;
  WebSocketFault fault = WebSocketFault::kNone;
};

/// One connection. Owns no memory: `in` bounds the longest message (kMostServerHeader bytes less
/// than it has) and a line of the handshake, `out` what can wait to be sent. Pings are answered by
/// itself. After kClosed or kFault nothing more happens until `start`; what is `pending` then is
/// the close frame, worth sending before the connection is closed.
class WebSocket {
 public:
  WebSocket(MutableBytes in, MutableBytes out, Random& random, Crypto& crypto);

  /// Forget everything and begin a handshake; its bytes are then in `pending`. When it cannot be
  /// written, `next` says so.
  void start(const WebSocketRequest& request);
  /// Bytes that arrived; returns how many were taken. Call `next` until kNone, then offer the rest:
  /// after kNone at least one is always taken.
  std::size_t feed(Bytes bytes);
  WebSocketEvent next();

  /// False when it does not fit into what waits already, or the connection is not open; nothing of
  /// it is then sent. `text` is UTF-8.
  bool send_text(std::string_view text);
  bool send_binary(Bytes data);
  bool send_ping();
  /// Sends a close frame; nothing can be sent after it, and messages are received until kClosed.
  /// A code that may not be sent becomes 1000.
  void send_close(std::uint16_t code);

  /// Bytes to be written to the connection, valid until the next call of anything else, and that so
  /// many of them were.
  Bytes pending() const;
  void sent(std::size_t count);
  /// Room for the payload of one more message, bytes.
  std::size_t room() const;
  /// Messages can be sent.
  bool is_open() const { return phase_ == Phase::kOpen; }
  /// Status of a handshake that was refused, 0 otherwise.
  int http_status() const;
  /// True once after a pong arrived.
  bool take_pong();

 private:
  enum class Phase : std::uint8_t {
    kIdle,  ///< `start` was never called
    kHandshake,
    kOpen,
    kClosing,  ///< our close frame is sent, the server's has not come
    kClosed,   ///< also after a fault
  };

  WebSocketEvent next_of_handshake();
  WebSocketEvent next_of_frames();
  /// True when a header was taken; a fault may be in `event`.
  bool begin_frame(WebSocketEvent& event);
  void take_payload();
  /// kNone when there is no event.
  WebSocketEvent end_frame();
  WebSocketEvent end_message();
  WebSocketEvent take_close();
  WebSocketEvent fail(WebSocketFault fault);

  void close_with(std::uint16_t code);
  /// Write what waits for room: a pong, then the goodbye.
  void write_replies();
  bool write_frame(Opcode opcode, Bytes payload);
  bool send_message(Opcode opcode, Bytes payload);
  std::size_t free_out() const;

  MutableBytes in_;
  MutableBytes out_;
  Random& random_;
  Crypto& crypto_;

  Phase phase_ = Phase::kIdle;
  WebSocketFault start_fault_ = WebSocketFault::kNone;  ///< for `next` to return
  HandshakeReader handshake_;
  int http_status_ = 0;

  // `in_` holds the message as far as it came, then a gap, then bytes that were not looked at.
  std::size_t message_size_ = 0;
  std::size_t raw_begin_ = 0;
  std::size_t raw_end_ = 0;
  std::size_t scanned_ = 0;  ///< of the handshake's line

  FrameHeader frame_;
  std::size_t payload_left_ = 0;
  bool in_frame_ = false;
  bool in_message_ = false;  ///< a first fragment came, the last did not
  bool delivered_ = false;   ///< the message was handed out and may be dropped
  Opcode message_opcode_ = Opcode::kText;
  std::array<unsigned char, kMostControlBytes> control_{};
  std::size_t control_size_ = 0;

  std::size_t out_begin_ = 0;
  std::size_t out_end_ = 0;
  std::array<unsigned char, kMostControlBytes> pong_{};  ///< of the newest ping, until it fits
  std::size_t pong_size_ = 0;
  bool pong_due_ = false;
  bool pong_came_ = false;
  std::uint16_t pending_close_ = 0;  ///< close code that waits for room; 1005: none is to be given
};

}  // namespace lobug
