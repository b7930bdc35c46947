// The core's digests by mbedTLS (by the chip's own hardware where it has it), and signatures by
// libsodium, since mbedTLS has no Ed25519.
#pragma once

#include <mbedtls/md.h>

#include "lobug/ports/crypto.h"

namespace lobug {

class MbedCrypto final : public Crypto {
 public:
  MbedCrypto();
  ~MbedCrypto() override;
  MbedCrypto(const MbedCrypto&) = delete;
  MbedCrypto& operator=(const MbedCrypto&) = delete;

  Sha1Digest sha1(Bytes data) override;
  void sha256_begin() override;
  void sha256_add(Bytes data) override;
  /// All zeros, which matches no digest that anybody was given, when mbedTLS failed on the way.
  Sha256Digest sha256_end() override;
  bool ed25519_verify(const Ed25519Key& key, Bytes message,
                      const Ed25519Signature& signature) override;

 private:
  mbedtls_md_context_t sha256_;
  bool good_ = false;
};

}  // namespace lobug
