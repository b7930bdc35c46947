#include "lobug_sockets/certificate.h"

#include <cstring>

#if defined(ESP_PLATFORM)
#include <lwip/sockets.h>
#else
#include <arpa/inet.h>
#include <netinet/in.h>
#endif

#include "lobug/base/calendar.h"

namespace lobug {
namespace {

constexpr unsigned kSanTypeMask = 0x1F;
constexpr unsigned kSanIpAddress = 7;  // RFC 5280, 4.2.1.6: iPAddress [7]

/// What a certificate says; -1 for a date that does not exist.
std::int64_t unix_time_of(const mbedtls_x509_time& time) {
  DateTime moment;
  moment.year = time.year;
  moment.month = static_cast<std::uint8_t>(time.mon);
  moment.day = static_cast<std::uint8_t>(time.day);
  moment.hour = static_cast<std::uint8_t>(time.hour);
  moment.minute = static_cast<std::uint8_t>(time.min);
  moment.second = static_cast<std::uint8_t>(time.sec);
  return unix_seconds_of(moment);
}

}  // namespace

IpAddress parse_ip_address(const char* text) {
  IpAddress address;
  in_addr v4{};
  if (inet_pton(AF_INET, text, &v4) == 1) {
    address.size = sizeof v4;
    std::memcpy(address.bytes.data(), &v4, sizeof v4);
    return address;
  }
  std::array<char, 48> bare{};
  const std::size_t length = std::strcspn(text, "%");
  if (length >= bare.size()) return address;
  std::memcpy(bare.data(), text, length);
  in6_addr v6{};
  if (inet_pton(AF_INET6, bare.data(), &v6) == 1) {
    address.size = sizeof v6;
    std::memcpy(address.bytes.data(), &v6, sizeof v6);
  }
  return address;
}

bool is_made_out_to(const mbedtls_x509_crt& certificate, const IpAddress& address) {
  if (address.size == 0) return false;
  const mbedtls_x509_sequence* name = &certificate.subject_alt_names;
  for (; name != nullptr; name = name->next) {
    if ((static_cast<unsigned>(name->buf.tag) & kSanTypeMask) != kSanIpAddress) continue;
    if (name->buf.len != address.size || name->buf.p == nullptr) continue;
    if (std::memcmp(name->buf.p, address.bytes.data(), address.size) == 0) return true;
  }
  return false;
}

int compare_validity(const mbedtls_x509_crt& certificate, std::int64_t unix_seconds) {
  if (unix_seconds < unix_time_of(certificate.valid_from)) return -1;
  return unix_seconds > unix_time_of(certificate.valid_to) ? 1 : 0;
}

}  // namespace lobug
