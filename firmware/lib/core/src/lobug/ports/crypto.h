// What the core needs of cryptographic libraries (mbedTLS and libsodium, on the chip and on the
// host).
#pragma once

#include <array>
#include <cstdint>

#include "lobug/base/span.h"

namespace lobug {

using Sha1Digest = std::array<std::uint8_t, 20>;
using Sha256Digest = std::array<std::uint8_t, 32>;
using Ed25519Key = std::array<std::uint8_t, 32>;
using Ed25519Signature = std::array<std::uint8_t, 64>;

class Crypto {
 public:
  virtual ~Crypto() = default;
  /// For the WebSocket handshake (RFC 6455, 4.2.2), which uses it as a checksum.
  virtual Sha1Digest sha1(Bytes data) = 0;
  /// A SHA-256 over what comes piece by piece; one at a time.
  virtual void sha256_begin() = 0;
  virtual void sha256_add(Bytes data) = 0;
  virtual Sha256Digest sha256_end() = 0;
  /// Whether the signature of the message is of the key's owner (RFC 8032, Ed25519).
  virtual bool ed25519_verify(const Ed25519Key& key, Bytes message,
                              const Ed25519Signature& signature) = 0;
};

}  // namespace lobug
