#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "lobug_sockets/certificate.h"

namespace lobug {
namespace {

/// A certificate that has nothing but these fields.
struct Certificate {
  Certificate() {
    std::memset(&value, 0, sizeof value);
    value.valid_from = {2026, 2, 28, 23, 59, 59};
    value.valid_to = {2028, 2, 29, 12, 0, 0};
  }
  void name(int tag, const unsigned char* bytes, std::size_t size) {
    mbedtls_x509_sequence* place = &value.subject_alt_names;
    if (place->buf.p != nullptr) {
      place->next = &second;
      place = &second;
    }
    place->buf.tag = tag;
    place->buf.p = const_cast<unsigned char*>(bytes);
    place->buf.len = size;
  }
  mbedtls_x509_crt value;
  mbedtls_x509_sequence second{};
};

constexpr int kDnsTag = 0x82;
constexpr int kIpTag = 0x87;

TEST_CASE("addresses are told from names") {
  CHECK(parse_ip_address("192.168.1.5").size == 4);
  CHECK(parse_ip_address("192.168.1.5").bytes[3] == 5);
  CHECK(parse_ip_address("::1").size == 16);
  CHECK(parse_ip_address("fe80::1%eth0").bytes[0] == 0xFE);
  for (const char* name :
       {"", "%", "example.org", "192.168.1", "192.168.1.256", "1.2.3.4.", "fe80::1::", "[::1]",
        " 1.2.3.4", "0000000000000000000000000000000000000000000000000000000000000:1"}) {
    CAPTURE(name);
    CHECK(parse_ip_address(name).size == 0);
  }
}

TEST_CASE("a certificate is made out to the addresses that it names, octet for octet") {
  const std::array<unsigned char, 4> v4{192, 168, 1, 5};
  std::array<unsigned char, 16> v6{};
  v6[15] = 1;
  Certificate certificate;
  CHECK_FALSE(is_made_out_to(certificate.value, parse_ip_address("192.168.1.5")));
  certificate.name(kIpTag, v4.data(), v4.size());
  certificate.name(kIpTag, v6.data(), v6.size());
  CHECK(is_made_out_to(certificate.value, parse_ip_address("192.168.1.5")));
  CHECK(is_made_out_to(certificate.value, parse_ip_address("::1")));
  CHECK_FALSE(is_made_out_to(certificate.value, parse_ip_address("192.168.1.6")));
  CHECK_FALSE(is_made_out_to(certificate.value, parse_ip_address("::2")));
  CHECK_FALSE(is_made_out_to(certificate.value, IpAddress{}));
}

TEST_CASE("a name that has the octets of an address, or their text, is no address") {
  const std::array<unsigned char, 4> octets{49, 46, 49, 46};
  const std::array<unsigned char, 11> text{'1', '9', '2', '.', '1', '6', '8', '.', '1', '.', '5'};
  Certificate certificate;
  certificate.name(kDnsTag, octets.data(), octets.size());
  certificate.name(kIpTag, text.data(), text.size());
  CHECK_FALSE(is_made_out_to(certificate.value, parse_ip_address("49.46.49.46")));
  CHECK_FALSE(is_made_out_to(certificate.value, parse_ip_address("192.168.1.5")));
}

TEST_CASE("validity begins and ends to the second") {
  const Certificate certificate;
  constexpr std::int64_t kFrom = 1772323199;  // 2026-02-28 23:59:59
  constexpr std::int64_t kTo = 1835438400;    // 2028-02-29 12:00:00
  CHECK(compare_validity(certificate.value, kFrom - 1) == -1);
  CHECK(compare_validity(certificate.value, kFrom) == 0);
  CHECK(compare_validity(certificate.value, kTo) == 0);
  CHECK(compare_validity(certificate.value, kTo + 1) == 1);
}

}  // namespace
}  // namespace lobug
