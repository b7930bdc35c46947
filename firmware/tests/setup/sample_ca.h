// A text that looks like a CA's certificate from the outside, which is all that is looked at here.
#pragma once

#include <string>

namespace lobug {

/// PEM of `lines` full lines of base64; 28 + 65 * lines + 26 characters.
inline std::string sample_ca(std::size_t lines, char letter = 'M') {
  std::string pem = "-----BEGIN CERTIFICATE-----\n";
  for (std::size_t i = 0; i < lines; ++i) pem += std::string(64, letter) + "\n";
  return pem + "-----END CERTIFICATE-----\n";
}

}  // namespace lobug
