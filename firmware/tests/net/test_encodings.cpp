#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "lobug/net/websocket_handshake.h"
#include "support/plain_crypto.h"
#include "support/scripted_random.h"
#include "support/text.h"
#include "support/websocket_peer.h"

using namespace lobug;

namespace {

std::string base64(std::string_view text) {
  std::string out(base64_size(text.size()), '?');
  write_base64(bytes_of(text), out.data());
  return out;
}

template <typename Digest>
std::string hex(const Digest& digest) {
  std::string out;
  for (const std::uint8_t byte : digest) {
    out += "0123456789abcdef"[byte >> 4U];
    out += "0123456789abcdef"[byte & 15U];
  }
  return out;
}

}  // namespace

TEST_CASE("Base64 is RFC 4648's") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foob") == "Zm9vYg==");
  CHECK(base64("fooba") == "Zm9vYmE=");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xFB\xFF\xBF\xFF") == "+/+//w==");
  CHECK(base64(std::string_view("\0\0\0", 3)) == "AAAA");
}

TEST_CASE("the digests that tests use are right") {
  PlainCrypto crypto;
  CHECK(hex(crypto.sha1(bytes_of(""))) == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  CHECK(hex(crypto.sha1(bytes_of("abc"))) == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(hex(crypto.sha1(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))) ==
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  crypto.sha256_begin();
  CHECK(hex(crypto.sha256_end()) ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  crypto.sha256_begin();
  crypto.sha256_add(bytes_of("a"));
  crypto.sha256_add(bytes_of("bc"));
  CHECK(hex(crypto.sha256_end()) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("the accept key is the one of RFC 6455's example") {
  PlainCrypto crypto;
  CHECK(accept_of(HandshakeKey("dGhlIHNhbXBsZSBub25jZQ=="), crypto) ==
        "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  CHECK(accept_for("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST_CASE("a handshake's key is sixteen random bytes, and another one each time") {
  ScriptedRandom random({0, 0, 0, 0, 0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU});
  CHECK(make_handshake_key(random) == "AAAAAAAAAAAAAAAAAAAAAA==");
  CHECK(make_handshake_key(random) == "/////////////////////w==");
  CHECK(random.asked == 8);
  const HandshakeKey key = make_handshake_key(random);
  CHECK(make_handshake_key(random) != key.view());
}
