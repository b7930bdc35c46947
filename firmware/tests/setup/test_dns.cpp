#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lobug/setup/portal.h"

namespace lobug {
namespace {

constexpr std::uint8_t kAddress[4] = {192, 168, 4, 1};

using Packet = std::vector<unsigned char>;

Packet header(unsigned char flags = 0x01, unsigned char questions = 1,
              unsigned char additional = 0) {
  return {0xAB, 0xCD, flags, 0x20, 0, questions, 0, 0, 0, 0, 0, additional};
}

void add_name(Packet& packet, const std::string& name) {
  std::size_t at = 0;
  while (at < name.size()) {
    std::size_t dot = name.find('.', at);
    if (dot == std::string::npos) dot = name.size();
    packet.push_back(static_cast<unsigned char>(dot - at));
    packet.insert(packet.end(), name.begin() + static_cast<std::ptrdiff_t>(at),
                  name.begin() + static_cast<std::ptrdiff_t>(dot));
    at = dot + 1;
  }
  packet.push_back(0);
}

void add_type(Packet& packet, unsigned type, unsigned cls = 1) {
  for (const unsigned value : {type >> 8U, type & 255U, cls >> 8U, cls & 255U}) {
    packet.push_back(static_cast<unsigned char>(value));
  }
}

Packet query(const std::string& name, unsigned type = 1, unsigned cls = 1) {
  Packet packet = header();
  add_name(packet, name);
  add_type(packet, type, cls);
  return packet;
}

Packet answer_to(const Packet& packet, std::size_t room = 600) {
  Packet answer(room, 0x55);
  const std::size_t size =
      answer_dns(Bytes(packet.data(), packet.size()), kAddress, {answer.data(), answer.size()});
  REQUIRE(size <= room);
  for (std::size_t i = size; i < room; ++i) CHECK(answer[i] == 0x55);  // nothing behind it
  answer.resize(size);
  return answer;
}

TEST_CASE("every name has the device's address") {
  for (const char* const name : {"captive.apple.com", "a", "connectivitycheck.gstatic.com"}) {
    const Packet asked = query(name);
    const Packet answer = answer_to(asked);
    Packet expected = asked;
    expected[2] = 0x85;  // an answer, authoritative, recursion was wanted
    expected[3] = 0;
    expected[7] = 1;
    const Packet record = {0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 10, 0, 4, 192, 168, 4, 1};
    expected.insert(expected.end(), record.begin(), record.end());
    CHECK(answer == expected);
  }
}

TEST_CASE("IPv6 is answered with nothing, so that a phone does not wait; the rest is refused") {
  const Packet ipv6 = answer_to(query("lobug.example", 28));
  REQUIRE(ipv6.size() == query("lobug.example").size());
  CHECK((ipv6[2] & 0x80) != 0);
  CHECK(ipv6[3] == 0);
  CHECK(ipv6[7] == 0);
  for (const unsigned type : {2U, 5U, 12U, 15U, 16U, 33U, 65U, 255U, 257U, 0U, 65535U}) {
    const Packet refused = answer_to(query("lobug.example", type));
    REQUIRE(refused.size() == query("lobug.example").size());
    CHECK(refused[3] == 5);
    CHECK(refused[7] == 0);
  }
  for (const unsigned type : {1U, 28U}) {
    CHECK(answer_to(query("lobug.example", type, 3))[3] == 5);  // another class than the Internet
  }
}

TEST_CASE("the additional record of EDNS does not matter") {
  Packet asked = query("lobug.example");
  const Packet plain = answer_to(asked);
  asked[11] = 1;
  const Packet edns = {0, 0, 41, 0x10, 0, 0, 0, 0, 0, 0, 0};
  asked.insert(asked.end(), edns.begin(), edns.end());
  CHECK(answer_to(asked) == plain);
  asked[11] = 2;
  CHECK(answer_to(asked).empty());
}

TEST_CASE("what is no query gets no answer") {
  const Packet good = query("lobug.example");
  REQUIRE_FALSE(answer_to(good).empty());
  for (std::size_t size = 0; size < good.size(); ++size) {  // cut off anywhere
    CHECK(
        answer_to(Packet(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))).empty());
  }
  struct Change {
    std::size_t at;
    unsigned char value;
  };
  for (const Change change : {Change{2, 0x80},
                              {2, 0x02},
                              {2, 0x08},
                              {2, 0x28},
                              {2, 0x78},
                              {4, 1},
                              {5, 0},
                              {5, 2},
                              {6, 1},
                              {7, 1},
                              {8, 1},
                              {9, 1},
                              {10, 1}}) {
    Packet packet = good;
    packet[change.at] = change.value;
    CAPTURE(change.at);
    CHECK(answer_to(packet).empty());
  }
}

TEST_CASE("compression in a question is refused, and so are labels of unknown kinds") {
  const unsigned char labels[] = {0xC0, 0xC1, 0xFF, 0x80, 0x40};
  for (const unsigned char label : labels) {
    Packet packet = header();
    packet.push_back(label);
    packet.push_back(12);  // to itself: a loop for whoever follows
    add_type(packet, 1);
    CHECK(answer_to(packet).empty());
    packet = header();
    packet.push_back(1);
    packet.push_back('a');
    packet.push_back(label);
    packet.push_back(12);
    add_type(packet, 1);
    CHECK(answer_to(packet).empty());
  }
}

TEST_CASE("a label has at most 63 bytes, a name 255, a query 512") {
  const std::string label(63, 'a');
  CHECK_FALSE(answer_to(query(label)).empty());
  CHECK(answer_to(query(label + "a")).empty());
  const std::string three = label + "." + label + "." + label + ".";
  CHECK_FALSE(answer_to(query(three + std::string(61, 'b'))).empty());  // 255 with its lengths
  CHECK(answer_to(query(three + std::string(62, 'b'))).empty());

  Packet packet = query("a");
  packet.resize(512);
  CHECK_FALSE(answer_to(packet).empty());
  packet.resize(513);
  CHECK(answer_to(packet).empty());
}

TEST_CASE("the root is a name too") { CHECK(answer_to(query("")).size() == query("").size() + 16); }

TEST_CASE("an answer that does not fit is none") {
  const Packet asked = query("lobug.example");
  CHECK(answer_to(asked, asked.size() + 16).size() == asked.size() + 16);
  CHECK(answer_to(asked, asked.size() + 15).empty());
  CHECK(answer_to(asked, 0).empty());
  CHECK(answer_to(query("lobug.example", 28), asked.size()).size() == asked.size());
  CHECK(answer_to(query("lobug.example", 28), asked.size() - 1).empty());
}

}  // namespace
}  // namespace lobug
