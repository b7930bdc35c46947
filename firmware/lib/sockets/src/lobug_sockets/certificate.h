// What mbedTLS 2.28 leaves open when it verifies a certificate: addresses as names, and time.
#pragma once

#include <mbedtls/x509_crt.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lobug {

/// An IP address as a certificate has it: 4 or 16 bytes; size 0: it is none.
struct IpAddress {
  std::array<unsigned char, 16> bytes{};
  std::size_t size = 0;
};
/// "192.168.1.5" or "fe80::1", also with a zone behind %, which is left out.
IpAddress parse_ip_address(const char* text);

/// Whether the certificate was made out to this address (a subject alternative name of the type
/// iPAddress). The common name is not looked at: an address is no name.
bool is_made_out_to(const mbedtls_x509_crt& certificate, const IpAddress& address);

/// Whether `unix_seconds` lies before the certificate's validity, in it or after it: -1, 0 or 1.
int compare_validity(const mbedtls_x509_crt& certificate, std::int64_t unix_seconds);

}  // namespace lobug
