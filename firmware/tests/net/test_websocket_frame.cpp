#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "lobug/net/websocket_frame.h"
#include "support/scripted_random.h"
#include "support/websocket_peer.h"

using namespace lobug;

namespace {

FrameStep parse(std::string_view bytes, FrameHeader& header) {
  return parse_frame_header({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()},
                            header);
}

FrameStep step_of(std::vector<unsigned> bytes) {
  std::string text;
  for (const unsigned byte : bytes) text += static_cast<char>(byte);
  FrameHeader header;
  return parse(text, header);
}

}  // namespace

TEST_CASE("a frame's header of every length, once its last byte is there") {
  for (const std::size_t length : {0U, 1U, 125U, 126U, 127U, 65535U, 65536U, 100000U}) {
    CAPTURE(length);
    const std::string frame = server_frame(0x82, std::string(length, 'x'));
    const std::size_t size = frame.size() - length;
    FrameHeader header;
    for (std::size_t cut = 0; cut < size; ++cut) {
      CHECK(parse(std::string_view(frame).substr(0, cut), header) == FrameStep::kMore);
    }
    for (const std::size_t there : {size, frame.size()}) {
      REQUIRE(parse(std::string_view(frame).substr(0, there), header) == FrameStep::kFrame);
      CHECK(header.opcode == Opcode::kBinary);
      CHECK(header.last);
      CHECK(header.length == length);
      CHECK(header.size == size);
    }
  }
  FrameHeader header;
  REQUIRE(parse(server_frame(0x01, "a"), header) == FrameStep::kFrame);
  CHECK_FALSE(header.last);
  CHECK(header.opcode == Opcode::kText);
  REQUIRE(parse(std::string("\x82\x7F\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 10), header) ==
          FrameStep::kFrame);
  CHECK(header.length == 0x7FFFFFFFFFFFFFFFULL);
}

TEST_CASE("of all first and second bytes those are good that RFC 6455 names") {
  int wrong = 0;
  for (unsigned first = 0; first < 256; ++first) {
    const unsigned opcode = first & 15U;
    const bool control = opcode >= 8;
    const bool known = opcode <= 2 || (opcode >= 8 && opcode <= 10);
    const bool first_good = (first & 0x70U) == 0 && known && (!control || first >= 0x80);
    if ((step_of({first}) != FrameStep::kBroken) != first_good) ++wrong;
    for (unsigned second = 0; second < 256; ++second) {
      const bool good = first_good && second < 128 && (!control || second <= 125);
      const FrameStep expected = !good           ? FrameStep::kBroken
                                 : second >= 126 ? FrameStep::kMore
                                                 : FrameStep::kFrame;
      if (step_of({first, second}) != expected) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a length is written the short way, and has 63 bits") {
  CHECK(step_of({0x82, 126, 0, 125}) == FrameStep::kBroken);
  CHECK(step_of({0x82, 126, 0, 126}) == FrameStep::kFrame);
  CHECK(step_of({0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}) == FrameStep::kBroken);
  CHECK(step_of({0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0}) == FrameStep::kFrame);
  CHECK(step_of({0x82, 127, 0x80}) == FrameStep::kBroken);
  CHECK(step_of({0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0}) == FrameStep::kBroken);
  CHECK(step_of({0x82, 127, 0x7F}) == FrameStep::kMore);
}

TEST_CASE("a client's frame can be read by a server, and its size is foretold") {
  ScriptedRandom random;
  for (const std::size_t size : {0U, 1U, 2U, 3U, 4U, 5U, 125U, 126U, 65535U, 65536U, 70001U}) {
    CAPTURE(size);
    std::string payload;
    for (std::size_t i = 0; i < size; ++i) payload += static_cast<char>(random.next());
    const std::size_t whole = client_frame_size(size);
    std::vector<unsigned char> out(whole + 1, 0xEE);
    write_client_frame(Opcode::kBinary,
                       {reinterpret_cast<const unsigned char*>(payload.data()), payload.size()},
                       0x04030201, out.data());
    CHECK(out[whole] == 0xEE);
    std::string bytes(reinterpret_cast<const char*>(out.data()), whole);
    const std::vector<ClientFrame> frames = take_client_frames(bytes);
    REQUIRE(frames.size() == 1);
    CHECK(bytes.empty());
    CHECK(frames[0].opcode == 2);
    CHECK(frames[0].last);
    CHECK(frames[0].masked);
    CHECK(frames[0].mask == 0x04030201);
    CHECK(frames[0].payload == payload);
  }
  // The example of RFC 6455, 5.7.
  std::vector<unsigned char> hello(11);
  write_client_frame(Opcode::kText, {reinterpret_cast<const unsigned char*>("Hello"), 5},
                     0x3D21FA37, hello.data());
  CHECK(std::string(hello.begin(), hello.end()) ==
        std::string("\x81\x85\x37\xFA\x21\x3D\x7F\x9F\x4D\x51\x58"));
}

TEST_CASE("the payload that fits into a frame is the largest that does") {
  int wrong = 0;
  const auto check = [&](std::size_t frame) {
    const std::size_t payload = client_payload_size(frame);
    const bool fits = client_frame_size(payload) <= frame || frame < client_frame_size(0);
    const bool largest = client_frame_size(payload + 1) > frame;
    if (!fits || !largest) ++wrong;
  };
  for (std::size_t frame = 0; frame < 400; ++frame) check(frame);
  for (std::size_t frame = 65400; frame < 65700; ++frame) check(frame);
  CHECK(wrong == 0);
  CHECK(client_payload_size(0) == 0);
  CHECK(client_payload_size(131) == 125);
  CHECK(client_payload_size(133) == 125);
  CHECK(client_payload_size(134) == 126);
}

TEST_CASE("close codes: what may be sent over a connection") {
  for (const unsigned good : {1000U, 1001U, 1002U, 1003U, 1007U, 1008U, 1009U, 1010U, 1011U, 1012U,
                              1013U, 1014U, 3000U, 3999U, 4000U, 4002U, 4999U}) {
    CAPTURE(good);
    CHECK(is_close_code(static_cast<std::uint16_t>(good)));
  }
  for (const unsigned bad :
       {0U, 1U, 999U, 1004U, 1005U, 1006U, 1015U, 1016U, 1100U, 2000U, 2999U, 5000U, 65535U}) {
    CAPTURE(bad);
    CHECK_FALSE(is_close_code(static_cast<std::uint16_t>(bad)));
  }
}
