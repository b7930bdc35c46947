#include "lobug/device/session.h"

namespace lobug {
namespace {

constexpr std::uint16_t kGoingAway = 1001;
constexpr std::uint16_t kHelloInvalid = 4002;
constexpr std::uint16_t kReplaced = 4003;
constexpr std::uint16_t kTokenRevoked = 4004;
constexpr std::uint16_t kIdleTooLong = 4006;
constexpr std::uint16_t kServerFull = 4007;

// What the server's close code means for the device (docs/protocol.md).
SessionEnd end_of(std::uint16_t close_code) {
  SessionEnd end;
  switch (close_code) {
    case kIdleTooLong:
      end.trouble = Trouble::kNone;
      end.idle = true;
      break;
    case kHelloInvalid:
      end.trouble = Trouble::kRefused;
      break;
    case kReplaced:
      end.trouble = Trouble::kReplaced;
      break;
    case kTokenRevoked:
      end.trouble = Trouble::kRefused;
      end.token_refused = true;
      break;
    case kServerFull:
      end.trouble = Trouble::kServerFull;
      break;
    default:
      break;
  }
  return end;
}

SessionEnd end_of_handshake(int status) {
  SessionEnd end;
  if (status == 401 || status == 403) {
    end.trouble = Trouble::kRefused;
    end.token_refused = true;
  } else if (status == 503 || status == 429) {
    end.trouble = Trouble::kServerFull;
  } else {
    end.trouble = Trouble::kNoServer;
  }
  return end;
}

}  // namespace

Session::Session(Connection& connection, Random& random, Crypto& crypto, SessionHandler& handler)
    : connection_(connection),
      handler_(handler),
      socket_(MutableBytes(in_.data(), in_.size()), MutableBytes(out_.data(), out_.size()), random,
              crypto) {}

void Session::open(const Url& url, const SessionIdentity& identity, Millis now) {
  url_ = url;
  token_.assign(identity.token);
  device_id_.assign(identity.device_id);
  client_id_.assign(identity.client_id);
  session_id_.clear();
  wake_word_ = takes_sensors_ = takes_reports_ = false;
  rest_ = Bytes();
  connection_.open(url_.endpoint);
  phase_ = Phase::kConnecting;
  limit_.set(now, kOpenMs);
  ping_.set(now, kPingMs);
  silent_.set(now, kSilentMs);
}

void Session::close() {
  if (phase_ == Phase::kReady) {
    socket_.send_close(kGoingAway);
    flush();
  }
  connection_.close();
  phase_ = Phase::kClosed;
}

void Session::begin_handshake() {
  const Text<140> host = host_of(url_.endpoint);
  WebSocketRequest request;
  request.host = host.view();
  request.path = url_.path.view();
  request.token = token_.view();
  request.device_id = device_id_.view();
  request.client_id = client_id_.view();
  socket_.start(request);
  phase_ = Phase::kShaking;
}

void Session::step(Millis now) {
  if (phase_ == Phase::kClosed) return;
  const ConnectionState state = connection_.state();
  if (phase_ == Phase::kConnecting && state == ConnectionState::kOpen) begin_handshake();
  if (phase_ != Phase::kConnecting) {
    flush();
    receive(now);
    if (phase_ == Phase::kClosed) return;
    flush();
  }
  if (state == ConnectionState::kFailed || state == ConnectionState::kClosed) {
    SessionEnd lost;
    switch (connection_.failure()) {
      case ConnectionFailure::kUntrusted:
        lost.trouble = Trouble::kUntrusted;
        break;
      case ConnectionFailure::kNoCa:
        lost.trouble = Trouble::kNoCa;
        break;
      case ConnectionFailure::kUnknownHost:
        lost.trouble = Trouble::kNoServer;
        break;
      default:
        break;
    }
    end(lost, now);
    return;
  }
  watch(now);
}

void Session::receive(Millis now) {
  // A bounded number of reads, so that a flood cannot hold up the rest of the device.
  for (int round = 0; round < 24 && phase_ != Phase::kClosed; ++round) {
    if (rest_.empty()) {
      const std::size_t count = connection_.read(MutableBytes(arrived_.data(), arrived_.size()));
      if (count == 0) return;
      rest_ = Bytes(arrived_.data(), count);
      silent_.set(now, kSilentMs);
    }
    rest_ = rest_.drop(socket_.feed(rest_));
    for (;;) {
      const WebSocketEvent event = socket_.next();
      if (event.kind == WebSocketEvent::Kind::kNone) break;
      take(event, now);
      if (phase_ == Phase::kClosed) return;
    }
  }
}

void Session::take(const WebSocketEvent& event, Millis now) {
  switch (event.kind) {
    case WebSocketEvent::Kind::kNone:
      break;
    case WebSocketEvent::Kind::kOpen:
      phase_ = Phase::kGreeting;
      limit_.set(now, kHelloMs);
      send(write_hello(Span<char>(text_.data(), text_.size()), handler_.hello_report(now),
                       handler_.kept_glyphs()));
      break;
    case WebSocketEvent::Kind::kText:
      on_text(std::string_view(reinterpret_cast<const char*>(event.data.data()), event.data.size()),
              now);
      break;
    case WebSocketEvent::Kind::kBinary:
      if (phase_ == Phase::kReady) handler_.on_audio(event.data, now);
      break;
    case WebSocketEvent::Kind::kClosed:
      flush();
      end(end_of(event.close_code), now);
      break;
    case WebSocketEvent::Kind::kFault:
      flush();
      end(event.fault == WebSocketFault::kRefused ? end_of_handshake(socket_.http_status())
                                                  : SessionEnd{},
          now);
      break;
  }
}

void Session::on_text(std::string_view text, Millis now) {
  message_ = read_server_message(text);
  if (phase_ == Phase::kReady) {
    handler_.on_message(message_, now);
    return;
  }
  if (message_.kind != ServerMessage::Kind::kHello) return;
  if (!message_.pcm || message_.sample_rate != kSampleRate) {
    // Not a Lo-Bug server: the device cannot play this format.
    end(SessionEnd{Trouble::kRefused, false, false}, now);
    return;
  }
  session_id_ = message_.session_id;
  wake_word_ = message_.wake_word;
  takes_sensors_ = message_.sensors;
  takes_reports_ = message_.reports;
  phase_ = Phase::kReady;
  limit_.clear();
  handler_.on_ready(now);
}

void Session::watch(Millis now) {
  if (limit_.due(now) || silent_.due(now)) {
    SessionEnd lost;
    if (phase_ == Phase::kConnecting || phase_ == Phase::kShaking) {
      lost.trouble = Trouble::kNoServer;
    }
    end(lost, now);
    return;
  }
  if (phase_ == Phase::kReady && ping_.due(now)) {
    socket_.send_ping();
    ping_.set(now, kPingMs);
  }
}

void Session::end(const SessionEnd& end, Millis now) {
  connection_.close();
  phase_ = Phase::kClosed;
  handler_.on_end(end, now);
}

void Session::flush() {
  if (phase_ == Phase::kClosed || phase_ == Phase::kConnecting) return;
  for (;;) {
    const Bytes pending = socket_.pending();
    if (pending.empty()) return;
    const std::size_t count = connection_.write(pending);
    if (count == 0) return;
    socket_.sent(count);
  }
}

bool Session::send(std::size_t length) {
  return length != 0 && socket_.send_text(std::string_view(text_.data(), length));
}

bool Session::listen_start(ListenMode mode) {
  return ready() && send(write_listen_start({text_.data(), text_.size()}, session_id_, mode));
}

bool Session::listen_stop() {
  return ready() && send(write_listen_stop({text_.data(), text_.size()}, session_id_));
}

bool Session::abort() {
  return ready() && send(write_abort({text_.data(), text_.size()}, session_id_, ""));
}

bool Session::playing(std::uint32_t delay_ms) {
  return ready() && send(write_playing({text_.data(), text_.size()}, session_id_, delay_ms));
}

bool Session::mcp(std::string_view payload) {
  return ready() && send(write_mcp({text_.data(), text_.size()}, session_id_, payload));
}

bool Session::sensors(std::string_view reading) {
  return takes_sensors() &&
         send(write_sensor_message({text_.data(), text_.size()}, session_id_, reading));
}

bool Session::report(std::string_view report) {
  return takes_reports() &&
         send(write_report_message({text_.data(), text_.size()}, session_id_, report));
}

bool Session::room_for_audio() const {
  // Messages (an abort, a tool's answer) must still find room behind the audio.
  return ready() && socket_.room() >= kUplinkFrameSamples * sizeof(std::int16_t) + text_.size();
}

bool Session::audio(Span<const std::int16_t> samples) {
  // Little endian both here and on the wire: the chips' own order.
  return room_for_audio() &&
         socket_.send_binary(Bytes(reinterpret_cast<const std::uint8_t*>(samples.data()),
                                   samples.size() * sizeof(std::int16_t)));
}

}  // namespace lobug
