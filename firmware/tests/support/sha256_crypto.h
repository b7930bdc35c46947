// SHA-256 (FIPS 180-4) for tests that have no mbedTLS; SHA-1 is not in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/base/span.h"
#include "lobug/ports/crypto.h"

namespace lobug {

inline Sha256Digest sha256_of(Bytes data) {
  constexpr std::array<std::uint32_t, 64> kRound = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
      0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
      0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
      0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
      0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
      0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
      0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
      0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
      0xc67178f2};
  std::array<std::uint32_t, 8> hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::vector<unsigned char> padded(data.begin(), data.end());
  padded.push_back(0x80);
  while (padded.size() % 64 != 56) padded.push_back(0);
  const std::uint64_t bits = static_cast<std::uint64_t>(data.size()) * 8;
  for (int shift = 56; shift >= 0; shift -= 8) {
    padded.push_back(static_cast<unsigned char>(bits >> static_cast<unsigned>(shift)));
  }
  const auto turn = [](std::uint32_t x, unsigned by) { return (x >> by) | (x << (32U - by)); };
  for (std::size_t block = 0; block < padded.size(); block += 64) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i) {
      if (i < 16) {
        for (std::size_t byte = 0; byte < 4; ++byte) {
          w[i] = (w[i] << 8U) | padded[block + i * 4 + byte];
        }
        continue;
      }
      const std::uint32_t s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >> 3U);
      const std::uint32_t s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >> 10U);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    std::array<std::uint32_t, 8> v = hash;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t s1 = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25);
      const std::uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
      const std::uint32_t one = v[7] + s1 + choice + kRound[i] + w[i];
      const std::uint32_t s0 = turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22);
      const std::uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
      v = {one + s0 + majority, v[0], v[1], v[2], v[3] + one, v[4], v[5], v[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) hash[i] += v[i];
  }
  Sha256Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(hash[i / 4] >> (24U - 8U * (i % 4)));
  }
  return digest;
}

inline std::string sha256_hex(Bytes data) {
  std::string hex;
  for (const std::uint8_t byte : sha256_of(data)) {
    hex += "0123456789abcdef"[byte >> 4U];
    hex += "0123456789abcdef"[byte & 15U];
  }
  return hex;
}

namespace test {

/// What stands for a signature where there is no libsodium: it is of that message and that key
/// alone, though whoever knows the key can make one. tests/sockets has the real ones.
inline Ed25519Signature signature_of(const Ed25519Key& key, Bytes message) {
  std::vector<unsigned char> text(key.begin(), key.end());
  text.insert(text.end(), message.begin(), message.end());
  const Sha256Digest first = sha256_of(Bytes(text.data(), text.size()));
  text.push_back('2');
  const Sha256Digest second = sha256_of(Bytes(text.data(), text.size()));
  Ed25519Signature signature{};
  for (std::size_t i = 0; i < 32; ++i) {
    signature[i] = first[i];
    signature[32 + i] = second[i];
  }
  return signature;
}

}  // namespace test

class Sha256Crypto final : public Crypto {
 public:
  /// Digests that were begun and not ended.
  int open = 0;

  Sha1Digest sha1(Bytes /*data*/) override { return {}; }
  void sha256_begin() override {
    ++open;
    data_.clear();
  }
  void sha256_add(Bytes data) override { data_.insert(data_.end(), data.begin(), data.end()); }
  Sha256Digest sha256_end() override {
    --open;
    return sha256_of(Bytes(data_.data(), data_.size()));
  }
  bool ed25519_verify(const Ed25519Key& key, Bytes message,
                      const Ed25519Signature& signature) override {
    return signature == test::signature_of(key, message);
  }

 private:
  std::vector<unsigned char> data_;
};

}  // namespace lobug
