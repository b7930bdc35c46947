#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "net/websocket_rig.h"

using namespace lobug;

namespace {

using Rig = WebSocketRig;
using Kind = WebSocketEvent::Kind;

/// What a fresh, open connection makes of the bytes.
std::string events_of(std::string_view bytes, std::size_t in = kIn) {
  Rig rig(in);
  return rig.open().feed(bytes);
}

}  // namespace

TEST_CASE("the handshake opens the connection, and what follows at once is not lost") {
  Rig rig;
  CHECK_FALSE(rig.socket.is_open());
  rig.start();
  CHECK(rig.head.find("GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n") == 0);
  CHECK_FALSE(rig.socket.is_open());
  CHECK_FALSE(rig.socket.send_text("too early"));
  CHECK(rig.socket.room() == 0);
  CHECK(rig.drain().empty());
  CHECK(rig.feed(handshake_answer(rig.head) + text_frame("hello") + binary_frame("x")) ==
        "open text:hello binary:x ");
  CHECK(rig.socket.is_open());
  CHECK(rig.socket.http_status() == 0);
}

TEST_CASE("every connection has a key of its own, and another one's answer does not open it") {
  Rig rig;
  rig.start();
  const std::string first = rig.head;
  rig.start();
  CHECK(header_of(first, "Sec-WebSocket-Key").size() == 24);
  CHECK(header_of(first, "Sec-WebSocket-Key") != header_of(rig.head, "Sec-WebSocket-Key"));
  CHECK(rig.feed(handshake_answer(first)) == fault(WebSocketFault::kHandshake));
  CHECK_FALSE(rig.socket.is_open());
}

TEST_CASE("a handshake that is refused or broken") {
  const auto answer = [](const std::string& bytes) {
    Rig rig;
    rig.start();
    const std::string events = rig.feed(bytes);
    CHECK_FALSE(rig.socket.is_open());
    // There is nobody to say goodbye to, and nothing more happens.
    CHECK(rig.socket.pending().empty());
    CHECK(rig.feed("HTTP/1.1 101 x\r\n\r\n").empty());
    return events + std::to_string(rig.socket.http_status());
  };
  CHECK(answer("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}") ==
        fault(WebSocketFault::kRefused) + "401");
  CHECK(answer("HTTP/1.1 503 Busy\r\n") == fault(WebSocketFault::kRefused) + "503");
  CHECK(answer("HTTP/1.1 101 Switching\r\n\r\n") == fault(WebSocketFault::kHandshake) + "0");
  CHECK(answer("HTTP/1.1 101 Switching\n") == fault(WebSocketFault::kHandshake) + "0");
  CHECK(answer("HTTP/1.1 101 Switching\r\n\n") == fault(WebSocketFault::kHandshake) + "0");
  CHECK(answer("HTTP/1.1 101 Switching\r\n\x01") == fault(WebSocketFault::kHandshake) + "0");
  CHECK(answer("SSH-2.0-OpenSSH\r\n") == fault(WebSocketFault::kHandshake) + "0");
  CHECK(answer(std::string("\x81\x05hello", 7)) == fault(WebSocketFault::kHandshake) + "0");
  CHECK(answer("HTTP/1.1 101 x\r\n" + std::string(kIn, 'x')) ==
        fault(WebSocketFault::kTooLarge) + "0");
  std::string lines = "HTTP/1.1 101 x\r\n";
  for (int i = 0; i < 200; ++i) lines += "A: b\r\n";
  CHECK(answer(lines) == fault(WebSocketFault::kTooLarge) + "0");
}

TEST_CASE("a request that cannot be written is told") {
  Rig rig;
  WebSocketRequest request;
  request.host = "h";
  request.path = "/";
  request.token = "a\r\nX-Evil: 1";
  rig.socket.start(request);
  CHECK(rig.socket.pending().empty());
  CHECK(rig.drain() == fault(WebSocketFault::kHandshake));
  CHECK(rig.drain().empty());
  const std::string token(kOut, 't');
  request.token = token;
  rig.socket.start(request);
  CHECK(rig.socket.pending().empty());
  CHECK(rig.drain() == fault(WebSocketFault::kTooLarge));
  // The next try knows nothing of it.
  rig.open();
  Rig none(0, 0);
  none.socket.start(request);
  CHECK(none.drain() == fault(WebSocketFault::kTooLarge));
}

TEST_CASE("messages, whole and in fragments, with control frames between") {
  CHECK(events_of(text_frame("")) == "text: ");
  CHECK(events_of(binary_frame("")) == "binary: ");
  CHECK(events_of(text_frame("Gr\xC3\xBC\xC3\x9F dich")) == "text:Gr\xC3\xBC\xC3\x9F dich ");
  CHECK(events_of(binary_frame("\xFF\xFE")) == "binary:\xFF\xFE ");
  CHECK(events_of(server_frame(0x01, "a") + server_frame(0x00, "b") + server_frame(0x80, "c")) ==
        "text:abc ");
  CHECK(events_of(server_frame(0x02, "") + server_frame(0x00, "") + server_frame(0x80, "")) ==
        "binary: ");
  // A character that is cut by a fragment's end is whole in the message.
  CHECK(events_of(server_frame(0x01, "\xC3") + server_frame(0x80, "\xA4")) == "text:\xC3\xA4 ");

  Rig rig;
  rig.open();
  CHECK(rig.feed(server_frame(0x01, "a") + ping_frame("p1") + server_frame(0x00, "b") +
                 pong_frame() + ping_frame("p2")) == "");
  CHECK(rig.socket.take_pong());
  CHECK_FALSE(rig.socket.take_pong());
  CHECK(rig.feed(server_frame(0x80, "c") + text_frame("next")) == "text:abc text:next ");
  const std::vector<ClientFrame> pongs = rig.sent_frames();
  REQUIRE(pongs.size() == 2);
  CHECK(pongs[0].opcode == 10);
  CHECK(pongs[0].payload == "p1");
  CHECK(pongs[1].payload == "p2");
}

TEST_CASE("frames that break the rules end the connection, and the server is told why") {
  struct Case {
    const char* what;
    std::string bytes;
    WebSocketFault fault;
    unsigned code;
  };
  const Case cases[] = {
      {"reserved bit 1", server_frame(0xC1, "a"), WebSocketFault::kProtocol, 1002},
      {"reserved bit 2", server_frame(0xA1, "a"), WebSocketFault::kProtocol, 1002},
      {"reserved bit 3", server_frame(0x91, "a"), WebSocketFault::kProtocol, 1002},
      {"unknown data", server_frame(0x83, "a"), WebSocketFault::kProtocol, 1002},
      {"unknown control", server_frame(0x8B, "a"), WebSocketFault::kProtocol, 1002},
      {"a masked frame", std::string("\x81\x81\1\2\3\4\x60", 7), WebSocketFault::kProtocol, 1002},
      {"a ping in fragments", server_frame(0x09, ""), WebSocketFault::kProtocol, 1002},
      {"a long ping", ping_frame(std::string(126, 'p')), WebSocketFault::kProtocol, 1002},
      {"nothing to continue", server_frame(0x80, "a"), WebSocketFault::kProtocol, 1002},
      {"nothing to continue, later", text_frame("a") + server_frame(0x00, "b"),
       WebSocketFault::kProtocol, 1002},
      {"a new message within one", server_frame(0x01, "a") + text_frame("b"),
       WebSocketFault::kProtocol, 1002},
      {"a length the long way", std::string("\x81\x7E\x00\x05hello", 9), WebSocketFault::kProtocol,
       1002},
      {"a length of 64 bits", std::string("\x82\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 10),
       WebSocketFault::kProtocol, 1002},
      {"a length of 63 bits", std::string("\x82\x7F\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 10),
       WebSocketFault::kTooLarge, 1009},
      {"a length of 32 bits", std::string("\x82\x7F\x00\x00\x00\x00\xFF\xFF\xFF\xFF", 10),
       WebSocketFault::kTooLarge, 1009},
      {"a length beyond 32 bits", std::string("\x82\x7F\x00\x00\x00\x01\x00\x00\x00\x01", 10),
       WebSocketFault::kTooLarge, 1009},
      {"no UTF-8", text_frame("\xFF"), WebSocketFault::kText, 1007},
      {"no UTF-8 over fragments", server_frame(0x01, "\xC3") + server_frame(0x80, "x"),
       WebSocketFault::kText, 1007},
      {"UTF-8 that is cut", text_frame("a\xC3"), WebSocketFault::kText, 1007},
      {"a close code of one byte", server_frame(0x88, "\x03"), WebSocketFault::kProtocol, 1002},
      {"a close code that nobody may send", close_frame(1005), WebSocketFault::kProtocol, 1002},
      {"a close code below all", close_frame(999), WebSocketFault::kProtocol, 1002},
      {"a close reason that is no text", close_frame(1000, "\xFF"), WebSocketFault::kText, 1007},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    Rig rig;
    rig.open();
    const std::string events = rig.feed(one.bytes + text_frame("never read"));
    CHECK(events.find(fault(one.fault)) != std::string::npos);
    CHECK(events.find("never") == std::string::npos);
    CHECK_FALSE(rig.socket.is_open());
    CHECK_FALSE(rig.socket.send_text("x"));
    const std::vector<ClientFrame> frames = rig.sent_frames();
    REQUIRE(frames.size() == 1);
    CHECK(frames[0].opcode == 8);
    CHECK(frames[0].close_code() == one.code);
    CHECK(rig.feed(text_frame("nor this")).empty());
  }
}

TEST_CASE(
    "the longest message fits, in whatever fragments and pieces, and one byte more does not") {
  const std::size_t most = kIn - kMostServerHeader;
  const std::string longest(most, 'm');
  const std::string expected = "binary:" + longest + " ";
  CHECK(events_of(binary_frame(longest)) == expected);
  CHECK(events_of(binary_frame(longest + "m")) == fault(WebSocketFault::kTooLarge));
  const std::string parts = server_frame(0x02, longest.substr(0, 300)) +
                            ping_frame(std::string(125, 'p')) +
                            server_frame(0x00, longest.substr(300));
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{9}, std::size_t{0}}) {
    Rig rig;
    CHECK(rig.open().feed(parts + server_frame(0x80, "") + binary_frame(longest),
                          [&] { return piece; }) == expected + expected);
    Rig beyond;
    CHECK(beyond.open().feed(parts + server_frame(0x80, "m"), [&] { return piece; }) ==
          fault(WebSocketFault::kTooLarge));
  }
  // Fragments that never end meet the same limit.
  std::string endless = server_frame(0x01, "x");
  for (int i = 0; i < 2000; ++i) endless += server_frame(0x00, "x");
  CHECK(events_of(endless) == fault(WebSocketFault::kTooLarge));
  // Empty ones cost nothing and come to nothing.
  endless = server_frame(0x01, "x");
  for (int i = 0; i < 20000; ++i) endless += server_frame(0x00, "");
  CHECK(events_of(endless).empty());
}

TEST_CASE("more bytes may be fed before everything was asked for") {
  Rig rig;
  rig.open();
  std::string events;
  const std::string bytes = text_frame("one") + text_frame("two") + binary_frame("three");
  // One event after each byte that is fed, so that messages wait behind one another.
  const auto take = [&] {
    const WebSocketEvent event = rig.socket.next();
    if (event.kind == Kind::kText || event.kind == Kind::kBinary)
      events += text_of(event.data) + " ";
  };
  CHECK(rig.socket.feed(bytes_of(bytes)) == bytes.size());
  take();
  for (const char byte : text_frame("four")) {
    CHECK(rig.socket.feed(bytes_of(std::string_view(&byte, 1))) == 1);
    take();
  }
  CHECK(events == "one two three four ");
}

TEST_CASE("a new start forgets everything") {
  Rig rig;
  rig.open();
  CHECK(rig.feed(server_frame(0x01, "half") + pong_frame()).empty());
  CHECK(rig.socket.send_text("not sent"));
  rig.open();
  CHECK_FALSE(rig.socket.take_pong());
  CHECK(rig.feed(text_frame("whole")) == "text:whole ");
  CHECK(rig.socket.pending().empty());
  rig.socket.send_close(1000);
  rig.open();
  CHECK(rig.socket.is_open());
  // After a refusal, too.
  rig.start();
  CHECK(rig.feed("HTTP/1.1 401 x\r\n\r\n") == fault(WebSocketFault::kRefused));
  CHECK(rig.socket.http_status() == 401);
  rig.open();
  CHECK(rig.socket.http_status() == 0);
}

TEST_CASE("however a connection's bytes are cut, the events and the answers are the same") {
  ScriptedRandom random;
  const unsigned firsts[] = {0x81, 0x82, 0x01, 0x02, 0x00, 0x80, 0x89, 0x8A};
  for (int round = 0; round < 400; ++round) {
    std::string frames;
    bool within = false;
    for (std::size_t count = random.below(12); count > 0; --count) {
      unsigned first = firsts[random.below(8)];
      // Mostly by the rules, so that more than the first frame is read.
      if (first < 0x88 && random.below(20) != 0) {
        first = within ? first & 0x80U : (first & 0x8FU) | (first & 3U ? 0U : 1U);
        within = first < 0x80;
      }
      const std::size_t size = first >= 0x88 ? random.below(126) : random.below(400);
      frames += server_frame(first, std::string(size, static_cast<char>('a' + count)));
    }
    if (random.below(3) == 0) frames += close_frame(1000, "bye");
    if (random.below(4) == 0 && !frames.empty()) {
      frames[random.below(frames.size())] = static_cast<char>(random.next());
    }
    const auto run = [&](auto cuts, std::string& sent) {
      Rig rig(700, 200, 5);
      rig.start();
      const std::string events = rig.feed(handshake_answer(rig.head) + frames, cuts);
      // The answers wait for room meanwhile, and only the last ping of many is answered.
      sent = rig.send_all();
      return events;
    };
    std::string sent_whole;
    std::string sent_cut;
    const std::string whole = run([] { return std::size_t{0}; }, sent_whole);
    CHECK(run([] { return std::size_t{1}; }, sent_cut) == whole);
    CHECK(sent_cut == sent_whole);
    CHECK(run([&] { return 1 + random.below(50); }, sent_cut) == whole);
    CHECK(sent_cut == sent_whole);
  }
}
