// The captive portal's DNS server on the wire.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "sockets/portal_rig.h"

namespace lobug {
namespace {

std::string dns_query(const std::string& label, char type = 1) {
  return std::string("\xAB\xCD\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12) +
         static_cast<char>(label.size()) + label + std::string("\0\0", 2) + type +
         std::string("\0\x01", 2);
}

TEST_CASE("every name is here") {
  PortalRig rig;
  LoopbackClient phone(rig.dns, SOCK_DGRAM);
  const std::string query = dns_query("captive");
  REQUIRE(phone.send(query));
  CHECK(rig.work_until([&] {
    phone.take();
    return !phone.received().empty();
  }));
  const std::string answer = phone.received();
  REQUIRE(answer.size() == query.size() + 16);
  CHECK(answer.substr(0, 2) == "\xAB\xCD");
  CHECK((static_cast<unsigned char>(answer[2]) & 0x80U) != 0);
  CHECK(answer.substr(12, query.size() - 12) == query.substr(12));
  CHECK(answer.substr(answer.size() - 4) == "\x7F" + std::string("\0\0\x01", 3));
}

TEST_CASE("datagrams that are no query get no answer, and do not stop the next") {
  PortalRig rig;
  LoopbackClient phone(rig.dns, SOCK_DGRAM);
  const std::string query = dns_query("captive");
  std::string answer = query;
  answer[2] = '\x81';
  std::string too_long = query;
  too_long.resize(513);
  for (const std::string& garbage :
       {std::string("x"), std::string(512, '\xFF'), std::string(1400, 'x'),
        query.substr(0, query.size() - 1), answer, too_long}) {
    REQUIRE(phone.send(garbage));
  }
  rig.settle();
  phone.take();
  CHECK(phone.received().empty());
  // Empty datagrams as well: not even the next round has to be waited for.
  for (int n = 0; n < 3; ++n) REQUIRE(phone.send(""));
  REQUIRE(phone.send(query));
  rig.portal.step(rig.now);
  phone.take();
  CHECK(phone.received().size() == query.size() + 16);
}

TEST_CASE("a phone that asks for many names at once has eight of them answered in a round") {
  PortalRig rig;
  LoopbackClient phone(rig.dns, SOCK_DGRAM);
  const std::string query = dns_query("captive");
  const std::size_t answer_size = query.size() + 16;
  for (int n = 0; n < 20; ++n) REQUIRE(phone.send(query));
  for (const std::size_t answered : {8U, 16U, 20U, 20U}) {
    rig.portal.step(rig.now);
    phone.take();
    CHECK(phone.received().size() == answered * answer_size);
  }
}

TEST_CASE("names are answered while a client dawdles") {
  PortalRig rig;
  LoopbackClient slow(rig.web);
  REQUIRE(slow.send("GET /"));
  rig.settle();
  LoopbackClient phone(rig.dns, SOCK_DGRAM);
  REQUIRE(phone.send(dns_query("captive")));
  CHECK(rig.work_until([&] {
    phone.take();
    return !phone.received().empty();
  }));
}

}  // namespace
}  // namespace lobug
