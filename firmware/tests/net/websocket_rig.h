// A WebSocket under test, and what became of it as text that can be compared.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/net/websocket.h"
#include "support/plain_crypto.h"
#include "support/scripted_random.h"
#include "support/text.h"
#include "support/websocket_peer.h"

namespace lobug {

inline std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr std::size_t kIn = 1024;
constexpr std::size_t kOut = 512;

struct WebSocketRig {
  explicit WebSocketRig(std::size_t in_size = kIn, std::size_t out_size = kOut,
                        std::uint32_t seed = 1)
      : in(in_size + 1, 0xEE),
        out(out_size + 1, 0xEE),
        random({}, seed),
        socket({in.data(), in_size}, {out.data(), out_size}, random, crypto) {}
  ~WebSocketRig() {
    CHECK(in.back() == 0xEE);
    CHECK(out.back() == 0xEE);
  }
  WebSocketRig(const WebSocketRig&) = delete;
  WebSocketRig& operator=(const WebSocketRig&) = delete;

  void start() {
    WebSocketRequest request;
    request.host = "h";
    request.path = "/";
    socket.start(request);
    head = send_all();
  }
  WebSocketRig& open() {
    start();
    CHECK(feed(handshake_answer(head)) == "open ");
    CHECK(socket.is_open());
    return *this;
  }
  /// Everything that waits, as over a connection that takes it.
  std::string send_all() {
    std::string sent;
    while (!socket.pending().empty()) {
      const std::size_t count = socket.pending().size();
      sent += text_of(socket.pending());
      socket.sent(count);
    }
    return sent;
  }
  std::vector<ClientFrame> sent_frames() {
    std::string bytes = send_all();
    const std::vector<ClientFrame> frames = take_client_frames(bytes);
    CHECK(bytes.empty());
    for (const ClientFrame& frame : frames) CHECK(frame.masked);
    return frames;
  }
  /// Feeds and returns the events; takes pieces as `cuts` says, 0: all that is left.
  template <typename Cuts>
  std::string feed(std::string_view bytes, Cuts cuts) {
    std::string events;
    bool stuck = false;
    while (!bytes.empty() && !stuck) {
      const std::size_t size = cuts();
      std::string piece(bytes.substr(0, size == 0 ? bytes.npos : size));
      bytes.remove_prefix(piece.size());
      while (!piece.empty() && !stuck) {
        const std::size_t taken = socket.feed(bytes_of(piece));
        piece.erase(0, taken);
        stuck = taken == 0;
        events += drain();
      }
    }
    CHECK_FALSE(stuck);
    return events;
  }
  std::string feed(std::string_view bytes) {
    return feed(bytes, [] { return std::size_t{0}; });
  }
  std::string drain() {
    std::string events;
    for (int i = 0; i < 100000; ++i) {
      const WebSocketEvent event = socket.next();
      switch (event.kind) {
        case WebSocketEvent::Kind::kNone:
          return events;
        case WebSocketEvent::Kind::kOpen:
          events += "open ";
          break;
        case WebSocketEvent::Kind::kText:
          events += "text:" + text_of(event.data) + " ";
          break;
        case WebSocketEvent::Kind::kBinary:
          events += "binary:" + text_of(event.data) + " ";
          break;
        case WebSocketEvent::Kind::kClosed:
          events += "closed:" + std::to_string(event.close_code) + ":" +
                    std::string(event.close_reason.view()) + " ";
          break;
        case WebSocketEvent::Kind::kFault:
          events += "fault:" + std::to_string(static_cast<int>(event.fault)) + " ";
          break;
      }
    }
    return events + "endless";
  }

  std::vector<unsigned char> in;
  std::vector<unsigned char> out;
  ScriptedRandom random;
  PlainCrypto crypto;
  WebSocket socket;
  std::string head;
};

inline std::string fault(WebSocketFault what) {
  return "fault:" + std::to_string(static_cast<int>(what)) + " ";
}

}  // namespace lobug
