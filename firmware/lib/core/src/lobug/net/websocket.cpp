#include "lobug/net/websocket.h"

#include <cstring>

#include "lobug/base/utf8.h"
#include "lobug/net/http_syntax.h"

namespace lobug {
namespace {

constexpr std::uint16_t kNormalClosure = 1000;
constexpr std::uint16_t kProtocolError = 1002;
constexpr std::uint16_t kNoCode = 1005;  // never on the wire
constexpr std::uint16_t kInvalidText = 1007;
constexpr std::uint16_t kTooBig = 1009;

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint16_t close_code_of(WebSocketFault fault) {
  switch (fault) {
    case WebSocketFault::kTooLarge:
      return kTooBig;
    case WebSocketFault::kText:
      return kInvalidText;
    default:
      return kProtocolError;
  }
}

WebSocketEvent event_of(WebSocketEvent::Kind kind) {
  WebSocketEvent event;
  event.kind = kind;
  return event;
}

}  // namespace

WebSocket::WebSocket(MutableBytes in, MutableBytes out, Random& random, Crypto& crypto)
    : in_(in), out_(out), random_(random), crypto_(crypto) {}

void WebSocket::start(const WebSocketRequest& request) {
  message_size_ = raw_begin_ = raw_end_ = scanned_ = 0;
  in_frame_ = in_message_ = delivered_ = false;
  out_begin_ = 0;
  pong_due_ = pong_came_ = false;
  pending_close_ = 0;
  http_status_ = 0;
  phase_ = Phase::kHandshake;

  const HandshakeKey key = make_handshake_key(random_);
  handshake_.start(accept_of(key, crypto_));
  const HandshakeWritten written = write_handshake(request, key, out_);
  out_end_ = written.size;
  start_fault_ = WebSocketFault::kNone;
  if (written.size == 0) {
    start_fault_ = written.too_large ? WebSocketFault::kTooLarge : WebSocketFault::kHandshake;
  }
}

std::size_t WebSocket::feed(Bytes bytes) {
  if (phase_ == Phase::kIdle || phase_ == Phase::kClosed) return bytes.size();
  if (delivered_) {
    message_size_ = 0;
    delivered_ = false;
  }
  // Unread bytes move up to the message: after `next` returned kNone they are at most a part
  // of a frame's header or of a line of the handshake.
  if (raw_begin_ > message_size_) {
    std::memmove(in_.data() + message_size_, in_.data() + raw_begin_, raw_end_ - raw_begin_);
    raw_end_ -= raw_begin_ - message_size_;
    raw_begin_ = message_size_;
  }
  const Bytes fits = bytes.first(in_.size() - raw_end_);
  if (!fits.empty()) std::memcpy(in_.data() + raw_end_, fits.data(), fits.size());
  raw_end_ += fits.size();
  return fits.size();
}

WebSocketEvent WebSocket::next() {
  if (delivered_) {
    message_size_ = 0;
    delivered_ = false;
  }
  switch (phase_) {
    case Phase::kHandshake:
      if (start_fault_ != WebSocketFault::kNone) return fail(start_fault_);
      return next_of_handshake();
    case Phase::kOpen:
    case Phase::kClosing:
      return next_of_frames();
    default:
      return {};
  }
}

WebSocketEvent WebSocket::next_of_handshake() {
  while (true) {
    std::string_view line;
    const Bytes raw(in_.data() + raw_begin_, raw_end_ - raw_begin_);
    const LineStep found = find_line(raw, scanned_, line);
    if (found == LineStep::kBroken) return fail(WebSocketFault::kHandshake);
    if (found == LineStep::kMore) {
      return raw.size() == in_.size() ? fail(WebSocketFault::kTooLarge) : WebSocketEvent();
    }
    raw_begin_ += line.size() + 2;
    scanned_ = 0;
    switch (handshake_.take(line)) {
      case HandshakeReader::Step::kMore:
        break;
      case HandshakeReader::Step::kOpen:
        phase_ = Phase::kOpen;
        return event_of(WebSocketEvent::Kind::kOpen);
      case HandshakeReader::Step::kRefused:
        http_status_ = handshake_.status();
        return fail(WebSocketFault::kRefused);
      case HandshakeReader::Step::kBroken:
        return fail(WebSocketFault::kHandshake);
      case HandshakeReader::Step::kTooLarge:
        return fail(WebSocketFault::kTooLarge);
    }
  }
}

WebSocketEvent WebSocket::next_of_frames() {
  WebSocketEvent event;
  while (event.kind == WebSocketEvent::Kind::kNone) {
    if (!in_frame_ && !begin_frame(event)) return event;
    take_payload();
    if (payload_left_ > 0) return event;
    in_frame_ = false;
    event = end_frame();
  }
  return event;
}

bool WebSocket::begin_frame(WebSocketEvent& event) {
  const Bytes raw(in_.data() + raw_begin_, raw_end_ - raw_begin_);
  const FrameStep step = parse_frame_header(raw, frame_);
  if (step == FrameStep::kMore) return false;
  const bool control = is_control(frame_.opcode);
  const bool continues = frame_.opcode == Opcode::kContinuation;
  if (step == FrameStep::kBroken || (!control && continues != in_message_)) {
    event = fail(WebSocketFault::kProtocol);
    return false;
  }
  // Room for the next header is kept free, or a message that fills the buffer could never end.
  if (!control && frame_.length + message_size_ + kMostServerHeader > in_.size()) {
    event = fail(WebSocketFault::kTooLarge);
    return false;
  }
  raw_begin_ += frame_.size;
  payload_left_ = static_cast<std::size_t>(frame_.length);
  in_frame_ = true;
  if (control) control_size_ = 0;
  if (!control && !continues) message_opcode_ = frame_.opcode;
  return true;
}

void WebSocket::take_payload() {
  const std::size_t there = raw_end_ - raw_begin_;
  const std::size_t count = payload_left_ < there ? payload_left_ : there;
  if (count == 0) return;
  const unsigned char* from = in_.data() + raw_begin_;
  if (is_control(frame_.opcode)) {
    std::memcpy(control_.data() + control_size_, from, count);
    control_size_ += count;
  } else {
    std::memmove(in_.data() + message_size_, from, count);
    message_size_ += count;
  }
  raw_begin_ += count;
  payload_left_ -= count;
}

WebSocketEvent WebSocket::end_frame() {
  switch (frame_.opcode) {
    case Opcode::kPing:
      // Only the newest ping has to be answered (5.5.3), so a flood of pings costs no memory.
      pong_ = control_;
      pong_size_ = control_size_;
      pong_due_ = phase_ == Phase::kOpen;
      write_replies();
      return {};
    case Opcode::kPong:
      pong_came_ = true;
      return {};
    case Opcode::kClose:
      return take_close();
    default:
      in_message_ = !frame_.last;
      return frame_.last ? end_message() : WebSocketEvent();
  }
}

WebSocketEvent WebSocket::end_message() {
  const Bytes data(in_.data(), message_size_);
  const bool text = message_opcode_ == Opcode::kText;
  if (text && !is_utf8(text_of(data))) return fail(WebSocketFault::kText);
  WebSocketEvent event =
      event_of(text ? WebSocketEvent::Kind::kText : WebSocketEvent::Kind::kBinary);
  event.data = data;
  delivered_ = true;
  return event;
}

WebSocketEvent WebSocket::take_close() {
  WebSocketEvent event = event_of(WebSocketEvent::Kind::kClosed);
  event.close_code = kNoCode;
  if (control_size_ > 0) {
    event.close_code = static_cast<std::uint16_t>(control_[0] << 8U | control_[1]);
    if (control_size_ == 1 || !is_close_code(event.close_code)) {
      return fail(WebSocketFault::kProtocol);
    }
    const std::string_view reason = text_of(Bytes(control_.data(), control_size_).drop(2));
    if (!is_utf8(reason)) return fail(WebSocketFault::kText);
    event.close_reason.assign(reason);
  }
  close_with(event.close_code);
  phase_ = Phase::kClosed;
  return event;
}

WebSocketEvent WebSocket::fail(WebSocketFault fault) {
  if (phase_ == Phase::kHandshake) {
    out_begin_ = out_end_ = 0;  // no close frame: there is no connection
  } else {
    close_with(close_code_of(fault));
  }
  phase_ = Phase::kClosed;
  WebSocketEvent event = event_of(WebSocketEvent::Kind::kFault);
  event.fault = fault;
  return event;
}

void WebSocket::close_with(std::uint16_t code) {
  if (phase_ != Phase::kOpen) return;  // the close frame is sent already
  phase_ = Phase::kClosing;
  pending_close_ = code;
  write_replies();
}

void WebSocket::write_replies() {
  if (pong_due_ && write_frame(Opcode::kPong, Bytes(pong_.data(), pong_size_))) pong_due_ = false;
  if (pending_close_ == 0 || pong_due_) return;
  const unsigned char code[] = {static_cast<unsigned char>(pending_close_ >> 8U),
                                static_cast<unsigned char>(pending_close_)};
  if (write_frame(Opcode::kClose, pending_close_ == kNoCode ? Bytes() : Bytes(code))) {
    pending_close_ = 0;
  }
}

bool WebSocket::write_frame(Opcode opcode, Bytes payload) {
  const std::size_t size = client_frame_size(payload.size());
  if (size > free_out()) return false;
  if (size > out_.size() - out_end_) {
    std::memmove(out_.data(), out_.data() + out_begin_, out_end_ - out_begin_);
    out_end_ -= out_begin_;
    out_begin_ = 0;
  }
  write_client_frame(opcode, payload, random_.next(), out_.data() + out_end_);
  out_end_ += size;
  return true;
}

bool WebSocket::send_message(Opcode opcode, Bytes payload) {
  return phase_ == Phase::kOpen && !pong_due_ && write_frame(opcode, payload);
}

bool WebSocket::send_text(std::string_view text) {
  return send_message(Opcode::kText, bytes_of(text));
}

bool WebSocket::send_binary(Bytes data) { return send_message(Opcode::kBinary, data); }

bool WebSocket::send_ping() { return send_message(Opcode::kPing, Bytes()); }

void WebSocket::send_close(std::uint16_t code) {
  if (phase_ == Phase::kHandshake) {
    out_begin_ = out_end_ = 0;
    phase_ = Phase::kClosed;
  }
  close_with(is_close_code(code) ? code : kNormalClosure);
}

Bytes WebSocket::pending() const { return {out_.data() + out_begin_, out_end_ - out_begin_}; }

void WebSocket::sent(std::size_t count) {
  out_begin_ += count < out_end_ - out_begin_ ? count : out_end_ - out_begin_;
  if (out_begin_ == out_end_) out_begin_ = out_end_ = 0;
  write_replies();
}

std::size_t WebSocket::free_out() const { return out_.size() - (out_end_ - out_begin_); }

std::size_t WebSocket::room() const {
  return is_open() && !pong_due_ ? client_payload_size(free_out()) : 0;
}

int WebSocket::http_status() const { return http_status_; }

bool WebSocket::take_pong() {
  const bool came = pong_came_;
  pong_came_ = false;
  return came;
}

}  // namespace lobug
