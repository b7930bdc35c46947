// A WebSocket and a hostile server: however the bytes are cut the events and the answers are the
// same, no message is longer than the buffer, and what is sent is frames by the rules.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/base/utf8.h"
#include "lobug/net/websocket.h"
#include "support/plain_crypto.h"
#include "support/scripted_random.h"
#include "support/websocket_peer.h"

namespace {

using lobug::WebSocket;
using lobug::WebSocketEvent;
using lobug::WebSocketFault;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string text_of(lobug::Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Way {
  std::size_t room;
  bool opened;         ///< the bytes follow a good handshake, or are its answer
  std::uint32_t cuts;  ///< 0: in one piece
};

struct Result {
  std::string events;
  std::string sent;
  bool open = false;
  int status = 0;
};

class Run {
 public:
  explicit Run(const Way& way)
      : way_(way), in_(way.room), out_(512), socket_(in_of(), out_of(), random_, crypto_) {}

  Result of(std::string_view bytes) {
    lobug::WebSocketRequest request;
    request.host = "h";
    request.path = "/";
    socket_.start(request);
    const std::string head = text_of(socket_.pending());
    socket_.sent(head.size());
    if (way_.opened) feed(lobug::handshake_answer(head));
    std::uint32_t cuts = way_.cuts;
    while (!bytes.empty()) {
      cuts = cuts * 1664525U + 1013904223U;
      const std::size_t size = way_.cuts == 0 ? bytes.size() : 1 + (cuts >> 16U) % 37;
      feed(std::string(bytes.substr(0, size)));
      bytes.remove_prefix(std::min(size, bytes.size()));
    }
    result_.sent = text_of(socket_.pending());
    result_.open = socket_.is_open();
    result_.status = socket_.http_status();
    return result_;
  }

 private:
  lobug::MutableBytes in_of() { return {in_.data(), in_.size()}; }
  lobug::MutableBytes out_of() { return {out_.data(), out_.size()}; }

  void feed(std::string bytes) {
    while (!bytes.empty()) {
      const std::vector<unsigned char> piece(bytes.begin(), bytes.end());
      const std::size_t taken = socket_.feed({piece.data(), piece.size()});
      require(taken > 0 && taken <= piece.size());
      bytes.erase(0, taken);
      while (note(socket_.next())) {
      }
    }
  }
  bool note(const WebSocketEvent& event) {
    if (event.kind == WebSocketEvent::Kind::kNone) return false;
    require(!over_);
    require(event.data.size() <= way_.room);
    const bool fault = event.kind == WebSocketEvent::Kind::kFault;
    const bool closed = event.kind == WebSocketEvent::Kind::kClosed;
    require(fault == (event.fault != WebSocketFault::kNone));
    if (event.kind == WebSocketEvent::Kind::kText) require(lobug::is_utf8(text_of(event.data)));
    if (closed) {
      require(event.close_code == 1005 || lobug::is_close_code(event.close_code));
      require(lobug::is_utf8(event.close_reason));
    }
    over_ = fault || closed;
    result_.events += std::to_string(static_cast<int>(event.kind)) + ":" +
                      std::to_string(static_cast<int>(event.fault)) + ":" +
                      std::to_string(event.close_code) + ":" +
                      std::string(event.close_reason.view()) + ":" + text_of(event.data) + "\n";
    return true;
  }

  Way way_;
  std::vector<unsigned char> in_;
  std::vector<unsigned char> out_;
  lobug::ScriptedRandom random_;
  lobug::PlainCrypto crypto_;
  WebSocket socket_;
  Result result_;
  bool over_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  Way way;
  way.room = 160U + data[0] * 4U;
  way.opened = (data[1] & 7U) != 0;
  way.cuts = 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  const Result whole = Run(way).of(bytes);
  way.cuts = 1U + data[2];
  const Result cut = Run(way).of(bytes);
  require(whole.events == cut.events && whole.sent == cut.sent);
  require(whole.open == cut.open && whole.status == cut.status);

  // Nobody but the server's pings and faults made us speak.
  std::string sent = whole.sent;
  const std::vector<lobug::ClientFrame> frames = lobug::take_client_frames(sent);
  require(sent.empty());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const lobug::ClientFrame& frame = frames[i];
    require(frame.masked && frame.last && frame.payload.size() <= lobug::kMostControlBytes);
    require(frame.opcode == 10 || (frame.opcode == 8 && i + 1 == frames.size()));
    if (frame.opcode == 8 && !frame.payload.empty()) {
      require(lobug::is_close_code(static_cast<std::uint16_t>(frame.close_code())));
    }
  }
  return 0;
}
