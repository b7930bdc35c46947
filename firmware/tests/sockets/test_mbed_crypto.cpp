#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "lobug_sockets/mbed_crypto.h"

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

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
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

}  // namespace
}  // namespace lobug
