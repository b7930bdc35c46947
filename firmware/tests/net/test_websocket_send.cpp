// What is sent, pongs and goodbyes among it.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "net/websocket_rig.h"

using namespace lobug;

namespace {

using Rig = WebSocketRig;

}  // namespace

TEST_CASE("what is sent is masked with new random bytes each time") {
  Rig rig;
  rig.open();
  CHECK(rig.socket.send_text("Gr\xC3\xBC\xC3\x9F"));
  CHECK(rig.socket.send_binary(bytes_of("\x01\x02")));
  CHECK(rig.socket.send_ping());
  CHECK(rig.socket.send_text(""));
  const std::vector<ClientFrame> frames = rig.sent_frames();
  REQUIRE(frames.size() == 4);
  CHECK(frames[0].opcode == 1);
  CHECK(frames[0].payload == "Gr\xC3\xBC\xC3\x9F");
  CHECK(frames[1].opcode == 2);
  CHECK(frames[1].payload == "\x01\x02");
  CHECK(frames[2].opcode == 9);
  CHECK(frames[3].payload.empty());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    CHECK(frames[i].last);
    for (std::size_t j = 0; j < i; ++j) CHECK(frames[i].mask != frames[j].mask);
  }
}

TEST_CASE("the way out is bounded: all of a message or nothing, and room says what fits") {
  Rig rig;
  rig.open();
  CHECK(rig.socket.room() == kOut - 8);
  CHECK_FALSE(rig.socket.send_text(std::string(kOut - 7, 'x')));
  CHECK(rig.socket.pending().empty());
  CHECK(rig.socket.send_text(std::string(kOut - 8, 'x')));
  CHECK(rig.socket.pending().size() == kOut);
  CHECK(rig.socket.room() == 0);
  CHECK_FALSE(rig.socket.send_ping());
  CHECK(rig.sent_frames().size() == 1);

  // At every fill, and after every number of bytes that were sent.
  ScriptedRandom random;
  std::string wire;
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t room = rig.socket.room();
    const std::string payload(random.below(room + 3), static_cast<char>('a' + i % 26));
    const bool fits = rig.socket.pending().size() + client_frame_size(payload.size()) <= kOut;
    if (!payload.empty()) CHECK(fits == (payload.size() <= room));
    CHECK(rig.socket.send_binary(bytes_of(payload)) == fits);
    if (fits) expected += payload;
    const std::size_t count = random.below(rig.socket.pending().size() + 1);
    wire += text_of(rig.socket.pending().first(count));
    rig.socket.sent(count);
  }
  wire += rig.send_all();
  std::string got;
  for (const ClientFrame& frame : take_client_frames(wire)) got += frame.payload;
  CHECK(wire.empty());
  CHECK(got == expected);
}

TEST_CASE("no more is taken for sent than there was") {
  Rig rig;
  rig.open();
  rig.socket.sent(5);
  CHECK(rig.socket.pending().empty());
  CHECK(rig.socket.send_text("one"));
  rig.socket.sent(2);
  rig.socket.sent(8);  // of 7 that are left
  CHECK(rig.socket.pending().empty());
  CHECK(rig.socket.send_text("one"));
  rig.socket.sent(1000000);
  CHECK(rig.socket.pending().empty());
  CHECK(rig.socket.room() == kOut - 8);
  CHECK(rig.socket.send_text("two"));
  CHECK(rig.sent_frames()[0].payload == "two");
}

TEST_CASE("a ping is answered as soon as there is room, the newest of a flood") {
  Rig rig;
  rig.open();
  REQUIRE(rig.socket.send_binary(bytes_of(std::string(kOut - 8, 'a'))));
  std::string flood;
  for (int i = 0; i < 1000; ++i) flood += ping_frame("p" + std::to_string(i));
  CHECK(rig.feed(flood).empty());
  CHECK(rig.socket.pending().size() == kOut);
  CHECK(rig.socket.room() == 0);
  // Nothing overtakes it.
  rig.socket.sent(2);
  CHECK_FALSE(rig.socket.send_text(""));
  const std::string rest = rig.send_all();
  std::string wire = std::string("\x82\xFE", 2) + rest;
  const std::vector<ClientFrame> frames = take_client_frames(wire);
  REQUIRE(frames.size() == 2);
  CHECK(frames[1].opcode == 10);
  CHECK(frames[1].payload == "p999");
  CHECK(rig.socket.room() == kOut - 8);

  CHECK(rig.feed(ping_frame(std::string(125, 'p'))).empty());
  CHECK(rig.sent_frames()[0].payload == std::string(125, 'p'));
}

TEST_CASE("the server says goodbye") {
  const struct {
    std::string bytes;
    std::string events;
    unsigned answer;
  } cases[] = {
      {close_frame(1000), "closed:1000: ", 1000},
      {close_frame(1012, "restart"), "closed:1012:restart ", 1012},
      {close_frame(4002, std::string(123, 'r')), "closed:4002:" + std::string(123, 'r') + " ",
       4002},
      {server_frame(0x88, ""), "closed:1005: ", 1005},
      {text_frame("last") + close_frame(1001) + text_frame("no more"),
       "text:last closed:1001: ", 1001},
      {server_frame(0x01, "half") + close_frame(1001), "closed:1001: ", 1001},
  };
  for (const auto& one : cases) {
    CAPTURE(one.events);
    Rig rig;
    CHECK(rig.open().feed(one.bytes) == one.events);
    CHECK_FALSE(rig.socket.is_open());
    CHECK_FALSE(rig.socket.send_text("x"));
    rig.socket.send_close(1000);
    const std::vector<ClientFrame> frames = rig.sent_frames();
    REQUIRE(frames.size() == 1);
    CHECK(frames[0].opcode == 8);
    CHECK(frames[0].close_code() == one.answer);
    CHECK(rig.feed(text_frame("x")).empty());
  }
}

TEST_CASE("we say goodbye, once, and hear the server out") {
  Rig rig;
  rig.open();
  CHECK(rig.socket.send_text("last"));
  rig.socket.send_close(1001);
  rig.socket.send_close(1000);
  CHECK_FALSE(rig.socket.is_open());
  CHECK_FALSE(rig.socket.send_text("x"));
  CHECK(rig.socket.room() == 0);
  CHECK(rig.feed(text_frame("on its way") + ping_frame("p")) == "text:on its way ");
  CHECK(rig.feed(close_frame(1001)) == "closed:1001: ");
  const std::vector<ClientFrame> frames = rig.sent_frames();
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].payload == "last");
  CHECK(frames[1].opcode == 8);
  CHECK(frames[1].close_code() == 1001);

  // A code that may not be on the wire.
  Rig odd;
  odd.open();
  odd.socket.send_close(1006);
  CHECK(odd.sent_frames()[0].close_code() == 1000);
  // Before the handshake has ended nothing can be said.
  Rig early;
  early.start();
  early.socket.send_close(1000);
  CHECK(early.socket.pending().empty());
  CHECK(early.feed(handshake_answer(early.head)).empty());
  CHECK_FALSE(early.socket.is_open());
}

TEST_CASE("a goodbye waits for room, behind what waits already") {
  Rig rig;
  rig.open();
  REQUIRE(rig.socket.send_binary(bytes_of(std::string(kOut - 8, 'a'))));
  CHECK(rig.feed(ping_frame("p")).empty());
  rig.socket.send_close(1001);
  std::string wire;
  while (!rig.socket.pending().empty()) {
    wire += text_of(rig.socket.pending().first(1));
    rig.socket.sent(1);
  }
  const std::vector<ClientFrame> frames = take_client_frames(wire);
  REQUIRE(frames.size() == 3);
  CHECK(frames[0].payload.size() == kOut - 8);
  CHECK(frames[1].opcode == 10);
  CHECK(frames[2].close_code() == 1001);
}
