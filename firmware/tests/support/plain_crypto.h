// SHA-1 and SHA-256 written out plainly, for tests: the device has mbedTLS. What it takes for
// signatures, see `signature_of`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lobug/base/span.h"
#include "lobug/ports/crypto.h"
#include "support/sha256_crypto.h"

namespace lobug {

class PlainCrypto final : public Crypto {
 public:
  /// Calls of `sha256_begin`, and whether one is under way.
  int begun = 0;
  bool hashing = false;

  bool ed25519_verify(const Ed25519Key& key, Bytes message,
                      const Ed25519Signature& signature) override {
    return signature == test::signature_of(key, message);
  }

  Sha1Digest sha1(Bytes data) override {
    std::array<std::uint32_t, 5> h = {0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U,
                                      0xC3D2E1F0U};
    const std::vector<std::uint32_t> words = padded(data);
    for (std::size_t block = 0; block < words.size(); block += 16) {
      std::array<std::uint32_t, 80> w{};
      for (std::size_t i = 0; i < 16; ++i) w[i] = words[block + i];
      for (std::size_t i = 16; i < 80; ++i) {
        w[i] = left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
      }
      std::array<std::uint32_t, 5> v = h;
      for (std::size_t i = 0; i < 80; ++i) {
        const std::uint32_t choice = (v[1] & v[2]) | (~v[1] & v[3]);
        const std::uint32_t parity = v[1] ^ v[2] ^ v[3];
        const std::uint32_t majority = (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3]);
        const std::uint32_t f = i < 20   ? choice + 0x5A827999U
                                : i < 40 ? parity + 0x6ED9EBA1U
                                : i < 60 ? majority + 0x8F1BBCDCU
                                         : parity + 0xCA62C1D6U;
        const std::uint32_t next = left(v[0], 5) + f + v[4] + w[i];
        v = {next, v[0], left(v[1], 30), v[2], v[3]};
      }
      for (std::size_t i = 0; i < h.size(); ++i) h[i] += v[i];
    }
    return digest_of<Sha1Digest>(h);
  }

  void sha256_begin() override {
    ++begun;
    hashing = true;
    data_.clear();
  }
  void sha256_add(Bytes data) override { data_.insert(data_.end(), data.begin(), data.end()); }
  Sha256Digest sha256_end() override {
    hashing = false;
    static constexpr std::array<std::uint32_t, 64> kRound = {
        0x428A2F98U, 0x71374491U, 0xB5C0FBCFU, 0xE9B5DBA5U, 0x3956C25BU, 0x59F111F1U, 0x923F82A4U,
        0xAB1C5ED5U, 0xD807AA98U, 0x12835B01U, 0x243185BEU, 0x550C7DC3U, 0x72BE5D74U, 0x80DEB1FEU,
        0x9BDC06A7U, 0xC19BF174U, 0xE49B69C1U, 0xEFBE4786U, 0x0FC19DC6U, 0x240CA1CCU, 0x2DE92C6FU,
        0x4A7484AAU, 0x5CB0A9DCU, 0x76F988DAU, 0x983E5152U, 0xA831C66DU, 0xB00327C8U, 0xBF597FC7U,
        0xC6E00BF3U, 0xD5A79147U, 0x06CA6351U, 0x14292967U, 0x27B70A85U, 0x2E1B2138U, 0x4D2C6DFCU,
        0x53380D13U, 0x650A7354U, 0x766A0ABBU, 0x81C2C92EU, 0x92722C85U, 0xA2BFE8A1U, 0xA81A664BU,
        0xC24B8B70U, 0xC76C51A3U, 0xD192E819U, 0xD6990624U, 0xF40E3585U, 0x106AA070U, 0x19A4C116U,
        0x1E376C08U, 0x2748774CU, 0x34B0BCB5U, 0x391C0CB3U, 0x4ED8AA4AU, 0x5B9CCA4FU, 0x682E6FF3U,
        0x748F82EEU, 0x78A5636FU, 0x84C87814U, 0x8CC70208U, 0x90BEFFFAU, 0xA4506CEBU, 0xBEF9A3F7U,
        0xC67178F2U};
    std::array<std::uint32_t, 8> h = {0x6A09E667U, 0xBB67AE85U, 0x3C6EF372U, 0xA54FF53AU,
                                      0x510E527FU, 0x9B05688CU, 0x1F83D9ABU, 0x5BE0CD19U};
    const std::vector<std::uint32_t> words = padded(Bytes(data_.data(), data_.size()));
    for (std::size_t block = 0; block < words.size(); block += 16) {
      std::array<std::uint32_t, 64> w{};
      for (std::size_t i = 0; i < 16; ++i) w[i] = words[block + i];
      for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t a = left(w[i - 15], 25) ^ left(w[i - 15], 14) ^ w[i - 15] >> 3U;
        const std::uint32_t b = left(w[i - 2], 15) ^ left(w[i - 2], 13) ^ w[i - 2] >> 10U;
        w[i] = w[i - 16] + a + w[i - 7] + b;
      }
      std::array<std::uint32_t, 8> v = h;
      for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t e = left(v[4], 26) ^ left(v[4], 21) ^ left(v[4], 7);
        const std::uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        const std::uint32_t one = v[7] + e + choice + kRound[i] + w[i];
        const std::uint32_t a = left(v[0], 30) ^ left(v[0], 19) ^ left(v[0], 10);
        const std::uint32_t two = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        v = {one + two, v[0], v[1], v[2], v[3] + one, v[4], v[5], v[6]};
      }
      for (std::size_t i = 0; i < h.size(); ++i) h[i] += v[i];
    }
    return digest_of<Sha256Digest>(h);
  }

 private:
  static std::uint32_t left(std::uint32_t word, unsigned bits) {
    return word << bits | word >> (32U - bits);
  }
  /// The data with its end mark and its length, as big-endian words of whole blocks.
  static std::vector<std::uint32_t> padded(Bytes data) {
    std::vector<unsigned char> bytes(data.begin(), data.end());
    bytes.push_back(0x80);
    while (bytes.size() % 64 != 56) bytes.push_back(0);
    const std::uint64_t bits = std::uint64_t{data.size()} * 8;
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes.push_back(static_cast<unsigned char>(bits >> static_cast<unsigned>(shift)));
    }
    std::vector<std::uint32_t> words(bytes.size() / 4);
    for (std::size_t i = 0; i < bytes.size(); ++i) words[i / 4] = words[i / 4] << 8U | bytes[i];
    return words;
  }
  template <typename Digest, typename Words>
  static Digest digest_of(const Words& words) {
    Digest digest{};
    for (std::size_t i = 0; i < digest.size(); ++i) {
      digest[i] = static_cast<std::uint8_t>(words[i / 4] >> (24U - 8U * (i % 4)));
    }
    return digest;
  }

  std::vector<unsigned char> data_;
};

}  // namespace lobug
