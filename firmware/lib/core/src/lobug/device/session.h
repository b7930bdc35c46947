// One WebSocket session with the server: opening, hello, messages, keeping it alive, its end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/audio/format.h"
#include "lobug/base/clock.h"
#include "lobug/base/random.h"
#include "lobug/base/text.h"
#include "lobug/device/state_machine.h"
#include "lobug/net/url.h"
#include "lobug/net/websocket.h"
#include "lobug/ports/connection.h"
#include "lobug/ports/crypto.h"
#include "lobug/protocol/messages.h"

namespace lobug {

/// Why a session ended, and what follows from it.
struct SessionEnd {
  Trouble trouble = Trouble::kServerGone;
  /// The token is no longer valid: pair again.
  bool token_refused = false;
  /// The server closed it because nobody spoke: open a new one at once.
  bool idle = false;
};

/// Receives what the session brings, called within `Session::step`.
class SessionHandler {
 public:
  virtual ~SessionHandler() = default;
  virtual void on_ready(Millis now) = 0;
  /// The report of the device's condition for the hello, JSON; empty: none. Valid until the next.
  virtual std::string_view hello_report(Millis now) = 0;
  /// How many pushed pictures of characters are kept; 0: none are wanted.
  virtual std::size_t kept_glyphs() const { return 0; }
  virtual void on_message(const ServerMessage& message, Millis now) = 0;
  /// PCM, 16 bit, little endian, as it came; valid during the call.
  virtual void on_audio(Bytes pcm, Millis now) = 0;
  virtual void on_end(const SessionEnd& end, Millis now) = 0;
};

/// Who opens a session.
struct SessionIdentity {
  std::string_view token;
  std::string_view device_id;
  std::string_view client_id;
};

/// The part of a session that the conversation uses; scripted in tests.
class SessionSender {
 public:
  virtual ~SessionSender() = default;
  virtual bool listen_start(ListenMode mode) = 0;
  virtual bool listen_stop() = 0;
  virtual bool abort() = 0;
  virtual bool playing(std::uint32_t delay_ms) = 0;
  /// Whether one more frame of audio can be sent now.
  virtual bool room_for_audio() const = 0;
  /// False when there was no room.
  virtual bool audio(Span<const std::int16_t> samples) = 0;
  /// Whether the server offers to find the wake word in the audio.
  virtual bool wake_word() const = 0;
};

class Session final : public SessionSender {
 public:
  static constexpr std::size_t kMostMessage = 16384;  ///< bytes, of the server's
  static constexpr std::size_t kOutgoing = 16384;     ///< bytes that may wait: half a second
  static constexpr Millis kOpenMs = 8000;             ///< to connect and shake hands
  static constexpr Millis kHelloMs = 10000;           ///< the protocol's own
  static constexpr Millis kPingMs = 15000;
  static constexpr Millis kSilentMs = 40000;  ///< without a byte it is lost

  Session(Connection& connection, Random& random, Crypto& crypto, SessionHandler& handler);

  /// Opens a session; one that was open is closed without a close frame. Texts are copied.
  void open(const Url& url, const SessionIdentity& identity, Millis now);
  /// Close without telling the handler.
  void close();
  void step(Millis now);
  /// Write out what was sent since, as far as the connection takes it.
  void flush();
  bool ready() const { return phase_ == Phase::kReady; }

  bool listen_start(ListenMode mode) override;
  bool listen_stop() override;
  bool abort() override;
  bool playing(std::uint32_t delay_ms) override;
  bool room_for_audio() const override;
  bool audio(Span<const std::int16_t> samples) override;
  bool mcp(std::string_view payload);
  /// What the sensors feel, JSON; only where `takes_sensors`. False when there was no room.
  bool sensors(std::string_view reading);
  /// A report of the device's condition, JSON; only where `takes_reports`. False when there was no
  /// room.
  bool report(std::string_view report);
  /// Whether the server takes what the sensors feel over this session.
  bool takes_sensors() const { return ready() && takes_sensors_; }
  /// Whether the server takes reports of the device's condition over this session.
  bool takes_reports() const { return ready() && takes_reports_; }
  bool wake_word() const override { return wake_word_; }

 private:
  enum class Phase : std::uint8_t { kClosed, kConnecting, kShaking, kGreeting, kReady };

  void begin_handshake();
  void receive(Millis now);
  void take(const WebSocketEvent& event, Millis now);
  void on_text(std::string_view text, Millis now);
  void watch(Millis now);
  void end(const SessionEnd& end, Millis now);
  bool send(std::size_t length);

  Connection& connection_;
  SessionHandler& handler_;
  std::array<std::uint8_t, kMostMessage> in_{};
  std::array<std::uint8_t, kOutgoing> out_{};
  std::array<std::uint8_t, 1024> arrived_{};
  Bytes rest_;
  std::array<char, 6144> text_{};
  WebSocket socket_;
  Phase phase_ = Phase::kClosed;
  Url url_;
  Text<128> token_;
  Text<24> device_id_;
  Text<36> client_id_;
  Text<64> session_id_;
  ServerMessage message_;
  Deadline limit_;
  Deadline ping_;
  Deadline silent_;
  bool wake_word_ = false;
  bool takes_sensors_ = false;
  bool takes_reports_ = false;
};

}  // namespace lobug
