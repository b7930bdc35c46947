#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "lobug/net/base64.h"
#include "lobug/net/utf8.h"
#include "lobug/net/websocket_handshake.h"
#include "support/plain_crypto.h"
#include "support/scripted_random.h"
#include "support/websocket_peer.h"

using namespace lobug;

namespace {

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

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

bool utf8(std::string_view text) { return is_utf8(bytes_of(text)); }

/// As RFC 3629 says it, by the value of the character; nothing of the tested table.
bool is_one_character(const std::string& text) {
  const auto at = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::size_t size = text.size();
  const std::uint32_t lead = at(0);
  std::uint32_t value = 0;
  if (size == 1) return lead < 0x80;
  if (size == 2 && lead >> 5U == 6)
    value = lead & 31U;
  else if (size == 3 && lead >> 4U == 14)
    value = lead & 15U;
  else if (size == 4 && lead >> 3U == 30)
    value = lead & 7U;
  else
    return false;
  for (std::size_t i = 1; i < size; ++i) {
    if (at(i) >> 6U != 2) return false;
    value = value << 6U | (at(i) & 63U);
  }
  const std::uint32_t least = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
  return value >= least && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
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

TEST_CASE("UTF-8: the ends of every range") {
  CHECK(utf8(""));
  CHECK(utf8(std::string_view("\0\x7F", 2)));
  CHECK(utf8("\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"));
  CHECK(utf8("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));
  CHECK(utf8("Gr\xC3\xBC\xC3\x9F dich, \xE4\xB8\x96\xE7\x95\x8C \xF0\x9F\x90\x9B"));
  for (const char* bad : {"\x80",
                          "\xBF",
                          "\xC0\x80",
                          "\xC1\xBF",
                          "\xC2",
                          "\xC2\x41",
                          "\xC2\xC2",
                          "\xE0\x9F\xBF",
                          "\xE0\xA0",
                          "\xED\xA0\x80",
                          "\xED\xBF\xBF",
                          "\xE1\x80\xC0",
                          "\xF0\x8F\xBF\xBF",
                          "\xF4\x90\x80\x80",
                          "\xF5\x80\x80\x80",
                          "\xF0\x90\x80",
                          "\xF0\x90\x80\x41",
                          "\xFE",
                          "\xFF",
                          "ok\xC3",
                          "\xC3\xA4\xA4",
                          "\xF8\x88\x80\x80\x80"}) {
    CAPTURE(bad);
    CHECK_FALSE(utf8(bad));
    CHECK_FALSE(utf8("before " + std::string(bad)));
    CHECK_FALSE(utf8(std::string(bad) + " after"));
  }
}

TEST_CASE("UTF-8: every sequence of two bytes, and the edges of longer ones, as the RFC has it") {
  int wrong = 0;
  const auto check = [&](const std::string& text) {
    // One character, or two of one byte; whatever is longer is one character or nothing.
    const bool two =
        text.size() == 2 && is_one_character(text.substr(0, 1)) && is_one_character(text.substr(1));
    if (utf8(text) != (is_one_character(text) || two)) ++wrong;
  };
  for (int lead = 0; lead < 256; ++lead) {
    check(std::string(1, static_cast<char>(lead)));
    for (int second = 0; second < 256; ++second) {
      const std::string start = {static_cast<char>(lead), static_cast<char>(second)};
      check(start);
      if (lead < 0xC0) continue;
      for (const int third : {0x00, 0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xFF}) {
        const std::string longer = start + static_cast<char>(third);
        if (lead >= 0xE0) check(longer);
        for (const int fourth : {0x00, 0x7F, 0x80, 0xBF, 0xC0}) {
          if (lead >= 0xF0) check(longer + static_cast<char>(fourth));
        }
      }
    }
  }
  CHECK(wrong == 0);
}
