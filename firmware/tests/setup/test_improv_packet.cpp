#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "lobug/setup/improv_packet.h"

namespace lobug {
namespace {

using Found = ImprovReader::Found;

struct Reader {
  ImprovReader reader;
  Millis now = 0xFFFFFF00U;  // the clock wraps meanwhile
  std::string text;
  std::vector<std::string> packets;  // type and data
  int broken = 0;

  void feed(std::string_view bytes, Millis step = 1) {
    for (const char byte : bytes) {
      now += step;
      switch (reader.feed(byte, now)) {
        case Found::kNothing:
          break;
        case Found::kText:
          text += reader.text();
          break;
        case Found::kPacket:
          packets.push_back(std::string(1, static_cast<char>(reader.type())) +
                            std::string(reader.data().begin(), reader.data().end()));
          break;
        case Found::kBroken:
          ++broken;
          break;
      }
    }
  }
};

std::string packet(ImprovType type, std::string_view data) {
  ImprovWriter writer(type);
  for (const char byte : data) writer.byte(static_cast<std::uint8_t>(byte));
  return std::string(writer.finish());
}

TEST_CASE("a packet is written as the protocol says") {
  // The example of the protocol: SSID MyWirelessAP, password mysecurepassword.
  ImprovWriter writer(ImprovType::kCommand);
  writer.byte(1).byte(0x1E).string("MyWirelessAP").string("mysecurepassword");
  const std::string written(writer.finish());
  CHECK(written.substr(0, 12) == "IMPROV\x01\x03\x20\x01\x1E\x0C");
  CHECK(written.substr(12, 12) == "MyWirelessAP");
  CHECK(written[24] == '\x10');
  CHECK(written.substr(25, 16) == "mysecurepassword");
  unsigned sum = 0;
  for (const char byte : written.substr(0, 41)) sum += static_cast<unsigned char>(byte);
  CHECK(static_cast<unsigned char>(written[41]) == (sum & 0xFFU));
  CHECK(written.substr(42) == "\n");
  CHECK(packet(ImprovType::kState, "\x02") == "IMPROV\x01\x01\x01\x02\xE2\n");
}

TEST_CASE("a result has its own length") {
  ImprovWriter writer(ImprovType::kResult);
  const std::string written(writer.byte(3).byte(0).string("ab").string("").finish());
  CHECK(written.substr(8, 7) == std::string("\x06\x03\x04\x02"
                                            "ab\x00",
                                            7));
}

TEST_CASE("what does not fit is left out, and no character is cut") {
  ImprovWriter writer(ImprovType::kResult);
  std::string long_text(251, 'x');
  const std::string written(
      writer.byte(4).byte(0).string(long_text + "\xC3\xA9").string("y").finish());
  CHECK(written.size() == 9 + 255 + 2);  // of "y" the length alone, which is 0
  CHECK(static_cast<unsigned char>(written[8]) == 255);
  CHECK(static_cast<unsigned char>(written[10]) == 253);
  CHECK(static_cast<unsigned char>(written[11]) == 251);
  Reader reader;
  reader.feed(written);
  CHECK(reader.packets.size() == 1);
}

TEST_CASE("packets are found among what is typed") {
  Reader reader;
  reader.feed("status\n" + packet(ImprovType::kCommand, std::string("\x02\x00", 2)) + "show\n");
  CHECK(reader.text == "status\nshow\n");
  REQUIRE(reader.packets.size() == 1);
  CHECK(reader.packets[0] == std::string("\x03\x02\x00", 3));
  CHECK(reader.broken == 0);
}

TEST_CASE("a packet in the middle of a line leaves the line as it is") {
  Reader reader;
  reader.feed("sta" + packet(ImprovType::kState, "\x02") + "tus\n");
  CHECK(reader.text == "status\n");
  CHECK(reader.packets.size() == 1);
}

TEST_CASE("what only begins like a packet is typed") {
  Reader reader;
  reader.feed("I IM IMPROV IMPROVE IMPIMPROV\r\n");
  CHECK(reader.text == "I IM IMPROV IMPROVE IMPIMPROV\r\n");
  reader.feed("IIMPRO" + packet(ImprovType::kState, "\x04"));
  CHECK(reader.text == "I IM IMPROV IMPROVE IMPIMPROV\r\nIIMPRO");
  CHECK(reader.packets.size() == 1);
  reader.feed("IMPROV\x02\x01");  // another version
  CHECK(reader.text.substr(reader.text.size() - 8) == "IMPROV\x02\x01");
}

TEST_CASE("packets without data and with the most of it") {
  Reader reader;
  reader.feed(packet(ImprovType::kCommand, ""));
  reader.feed(packet(ImprovType::kCommand, std::string(255, '\n')));
  REQUIRE(reader.packets.size() == 2);
  CHECK(reader.packets[0].size() == 1);
  CHECK(reader.packets[1].size() == 256);
  CHECK(reader.text.empty());
}

TEST_CASE("a wrong checksum is told, and the next packet is read") {
  Reader reader;
  std::string wrong = packet(ImprovType::kCommand, std::string("\x02\x00", 2));
  wrong[9] = '\x03';
  reader.feed(wrong + packet(ImprovType::kState, "\x02"));
  CHECK(reader.broken == 1);
  CHECK(reader.packets.size() == 1);
  CHECK(reader.text.empty());
}

TEST_CASE("a packet that never ends does not keep the line") {
  Reader reader;
  const std::string whole = packet(ImprovType::kCommand, std::string("\x02\x00", 2));
  reader.feed(std::string_view(whole).substr(0, 10));
  reader.now += ImprovReader::kLateMs + 1;
  reader.feed("status\n" + whole);
  CHECK(reader.text == "status\n");
  CHECK(reader.packets.size() == 1);
  // A slow one does end.
  reader.feed(whole, ImprovReader::kLateMs - 1);
  CHECK(reader.packets.size() == 2);
}

TEST_CASE("only the line end right after a packet belongs to it") {
  Reader reader;
  const std::string whole = packet(ImprovType::kState, "\x02");
  reader.feed(whole + "\n");
  CHECK(reader.text == "\n");
  reader.feed(whole.substr(0, whole.size() - 1) + "x\n");
  CHECK(reader.text == "\nx\n");
}

}  // namespace
}  // namespace lobug
