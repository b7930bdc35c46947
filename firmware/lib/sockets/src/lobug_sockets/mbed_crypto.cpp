#include "lobug_sockets/mbed_crypto.h"

#include <sodium/crypto_sign.h>

namespace lobug {

MbedCrypto::MbedCrypto() : sha256_() { mbedtls_md_init(&sha256_); }

MbedCrypto::~MbedCrypto() { mbedtls_md_free(&sha256_); }

Sha1Digest MbedCrypto::sha1(Bytes data) {
  Sha1Digest digest{};
  const mbedtls_md_info_t* info = mbedtls_md_info_from_type(MBEDTLS_MD_SHA1);
  if (info == nullptr || mbedtls_md(info, data.data(), data.size(), digest.data()) != 0) {
    digest.fill(0);
  }
  return digest;
}

void MbedCrypto::sha256_begin() {
  mbedtls_md_free(&sha256_);
  mbedtls_md_init(&sha256_);
  const mbedtls_md_info_t* info = mbedtls_md_info_from_type(MBEDTLS_MD_SHA256);
  good_ = info != nullptr && mbedtls_md_setup(&sha256_, info, 0) == 0 &&
          mbedtls_md_starts(&sha256_) == 0;
}

void MbedCrypto::sha256_add(Bytes data) {
  if (data.empty()) return;
  good_ = good_ && mbedtls_md_update(&sha256_, data.data(), data.size()) == 0;
}

Sha256Digest MbedCrypto::sha256_end() {
  Sha256Digest digest{};
  good_ = good_ && mbedtls_md_finish(&sha256_, digest.data()) == 0;
  if (!good_) digest.fill(0);
  good_ = false;
  return digest;
}

// Without sodium_init(), which seeds random numbers and chooses among implementations: verifying
// draws none, and there is one. On the chip it would cost 89 KB of flash, verifying alone takes 33.
bool MbedCrypto::ed25519_verify(const Ed25519Key& key, Bytes message,
                                const Ed25519Signature& signature) {
  return crypto_sign_verify_detached(signature.data(), message.data(), message.size(),
                                     key.data()) == 0;
}

}  // namespace lobug
