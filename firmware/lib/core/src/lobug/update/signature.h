// Whether an offered update comes from the server that the device was paired with.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/ports/crypto.h"
#include "lobug/update/updater.h"

namespace lobug {

/// What the device knows by itself, and so compares an offer with.
struct UpdateTrust {
  std::string_view key;    ///< that it keeps for its server, hexadecimal; empty: none
  std::string_view board;  ///< its own
  std::string_view nonce;  ///< that it drew for the request that was answered with the offer
};

enum class SignatureFault : std::uint8_t {
  kNone,
  kNoKey,     ///< the server told none: it is older than signatures
  kUnsigned,  ///< or what stands there is no signature
  kWrong,     ///< another key's, or of another image, board, version, intent or request
};
/// As a report names it; empty for kNone.
std::string_view name_of(SignatureFault fault);

/// What is signed, in docs/protocol.md: the offer, the board, and the nonce. Empty when it does not
/// fit, which no offer of a server's does.
Text<256> signed_message(const FirmwareOffer& offer, const UpdateTrust& trust);

/// To be asked before a download. The image that arrives is compared with the hash that was signed.
SignatureFault check_signature(const FirmwareOffer& offer, const UpdateTrust& trust,
                               Crypto& crypto);

}  // namespace lobug
