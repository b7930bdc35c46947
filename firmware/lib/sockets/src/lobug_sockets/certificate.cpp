#include "lobug_sockets/certificate.h"

#include <cstring>

#if defined(ESP_PLATFORM)
#include <lwip/sockets.h>
#else
#include <arpa/inet.h>
#include <netinet/in.h>
#endif

namespace lobug {
namespace {

constexpr unsigned kSanTypeMask = 0x1F;
constexpr unsigned kSanIpAddress = 7;  // RFC 5280, 4.2.1.6: iPAddress [7]

/// Days from 1970-01-01 to a date of the Gregorian calendar.
std::int64_t days_since_1970(std::int64_t year, unsigned month, unsigned day) {
  // Years begin in March here, so that the leap day is a year's last.
  const std::int64_t shifted = month <= 2 ? year - 1 : year;
  const std::int64_t month_from_march = month > 2 ? month - 3 : month + 9;
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + static_cast<int>(day) - 1;
  const std::int64_t leap_days = shifted / 4 - shifted / 100 + shifted / 400;
  constexpr std::int64_t kDaysTo1970 = 719468;
  return shifted * 365 + leap_days + day_of_year - kDaysTo1970;
}

std::int64_t unix_time_of(const mbedtls_x509_time& time) {
  const std::int64_t days =
      days_since_1970(time.year, static_cast<unsigned>(time.mon), static_cast<unsigned>(time.day));
  return ((days * 24 + time.hour) * 60 + time.min) * 60 + time.sec;
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
