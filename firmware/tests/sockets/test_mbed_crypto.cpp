#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "lobug/update/updater.h"
#include "lobug_sockets/mbed_crypto.h"
#include "support/text.h"

namespace lobug {
namespace {

template <typename Digest>
std::string hex(const Digest& digest) {
  std::string text;
  for (const unsigned byte : digest) {
    char pair[3];
    (void)std::snprintf(pair, sizeof pair, "%02x", byte);
    text += pair;
  }
  return text;
}

constexpr const char* kSha256OfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* kSha256OfAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST_CASE("SHA-1 as in RFC 3174 and in the example of RFC 6455") {
  MbedCrypto crypto;
  CHECK(hex(crypto.sha1(bytes_of("abc"))) == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(hex(crypto.sha1(Bytes())) == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  CHECK(
      hex(crypto.sha1(bytes_of("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))) ==
      "b37a4f2cc0624f1690f64606cf385945b2bec4ea");
}

TEST_CASE("SHA-256 piece by piece, again and again") {
  MbedCrypto crypto;
  for (int round = 0; round < 2; ++round) {
    crypto.sha256_begin();
    crypto.sha256_add(bytes_of("a"));
    crypto.sha256_add(Bytes());
    crypto.sha256_add(bytes_of("bc"));
    CHECK(hex(crypto.sha256_end()) == kSha256OfAbc);
  }
  crypto.sha256_begin();
  CHECK(hex(crypto.sha256_end()) == kSha256OfNothing);
}

TEST_CASE("one that was begun and given up leaves nothing behind") {
  MbedCrypto crypto;
  crypto.sha256_begin();
  crypto.sha256_add(bytes_of("given up"));
  crypto.sha256_begin();
  crypto.sha256_add(bytes_of("abc"));
  CHECK(hex(crypto.sha256_end()) == kSha256OfAbc);
}

TEST_CASE("a digest that was never begun is none") {
  MbedCrypto crypto;
  crypto.sha256_add(bytes_of("abc"));
  CHECK(hex(crypto.sha256_end()) == std::string(64, '0'));
}

template <std::size_t N>
std::array<std::uint8_t, N> from_hex(const std::string& text) {
  std::array<std::uint8_t, N> bytes{};
  REQUIRE(parse_hex(text, {bytes.data(), bytes.size()}));
  return bytes;
}

struct Vector {
  const char* key;
  std::string message;
  const char* signature;
};

/// RFC 8032, 7.1, tests 1 to 3.
const Vector kVectors[] = {
    {"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b"
     "4"
     "6bd25bf5f0595bbe24655141438e7a100b"},
    {"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "\x72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11"
     "d"
     "8c387b2eaeb4302aeeb00d291612bb0c00"},
    {"fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "\xaf\x82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc"
     "6"
     "594a7c15e9716ed28dc027beceea1ec40a"},
};

TEST_CASE("Ed25519 as in RFC 8032") {
  MbedCrypto crypto;
  for (const Vector& vector : kVectors) {
    const auto key = from_hex<32>(vector.key);
    const auto signature = from_hex<64>(vector.signature);
    CHECK(crypto.ed25519_verify(key, bytes_of(vector.message), signature));
  }
}

TEST_CASE("whatever is changed, the signature is wrong") {
  MbedCrypto crypto;
  const Vector& vector = kVectors[2];
  const auto key = from_hex<32>(vector.key);
  const auto signature = from_hex<64>(vector.signature);
  for (std::size_t bit = 0; bit < 8 * signature.size(); ++bit) {
    auto other = signature;
    other[bit / 8] = static_cast<std::uint8_t>(other[bit / 8] ^ 1U << bit % 8);
    CHECK_FALSE(crypto.ed25519_verify(key, bytes_of(vector.message), other));
  }
  for (std::size_t bit = 0; bit < 8 * key.size(); ++bit) {
    auto other = key;
    other[bit / 8] = static_cast<std::uint8_t>(other[bit / 8] ^ 1U << bit % 8);
    CHECK_FALSE(crypto.ed25519_verify(other, bytes_of(vector.message), signature));
  }
  CHECK_FALSE(crypto.ed25519_verify(key, bytes_of("\xaf\x83"), signature));
  CHECK_FALSE(crypto.ed25519_verify(key, bytes_of("\xaf"), signature));
  CHECK_FALSE(crypto.ed25519_verify(key, Bytes(), signature));
}

TEST_CASE("the key of nothing signs nothing") {
  // With a point of small order as key, a signature could be made that is valid for any message.
  MbedCrypto crypto;
  Ed25519Key neutral{};
  neutral[0] = 1;
  Ed25519Signature signature{};
  signature[0] = 1;
  CHECK_FALSE(crypto.ed25519_verify(neutral, bytes_of("anything"), signature));
  CHECK_FALSE(crypto.ed25519_verify(Ed25519Key{}, bytes_of("anything"), Ed25519Signature{}));
}

}  // namespace
}  // namespace lobug
