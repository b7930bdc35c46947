#include "lobug/update/signature.h"

#include <doctest/doctest.h>

#include <string>

#include "support/sha256_crypto.h"

namespace lobug {
namespace {

const char* const kNonce = "0123456789abcdef0123456789abcdef";

std::string hex_of(const Ed25519Signature& signature) {
  std::string hex;
  for (const std::uint8_t byte : signature) {
    hex += "0123456789abcdef"[byte >> 4U];
    hex += "0123456789abcdef"[byte & 15U];
  }
  return hex;
}

struct Offered {
  std::string key = std::string(64, '5');
  FirmwareOffer offer;
  UpdateTrust trust{key, "m5stack-core2", kNonce};
  Sha256Crypto crypto;

  Offered() {
    offer.version.assign("2.1.0");
    offer.size = 1234;
    std::string hash;
    while (hash.size() < 64) hash += "ab";
    offer.sha256.assign(hash);
    sign();
  }
  void sign() {
    Ed25519Key bytes;
    REQUIRE(parse_hex(trust.key, {bytes.data(), bytes.size()}));
    const Text<256> message = signed_message(offer, trust);
    const Bytes text(reinterpret_cast<const unsigned char*>(message.c_str()), message.size());
    offer.signature.assign(hex_of(test::signature_of(bytes, text)));
  }
  SignatureFault check() { return check_signature(offer, trust, crypto); }
};

using F = SignatureFault;

}  // namespace

TEST_CASE("what is signed is what the server signs") {
  // tests/unit/test_update_signing.py has the same text.
  Offered o;
  CHECK(signed_message(o.offer, o.trust).view() ==
        "lobug firmware update 1\nm5stack-core2\n2.1.0\n1234\n" +
            std::string(o.offer.sha256.view()) + "\nnewer\n0123456789abcdef0123456789abcdef\n");
  o.offer.force = true;
  o.offer.size = 4294967295;
  const Text<256> forced = signed_message(o.offer, o.trust);
  CHECK(forced.view().find("\nforce\n") != std::string_view::npos);
  CHECK(forced.view().find("\n4294967295\n") != std::string_view::npos);
  o.offer.size = 0;
  CHECK(signed_message(o.offer, o.trust).view().find("\n0\n") != std::string_view::npos);
}

TEST_CASE("the longest fields fit") {
  Offered o;
  const std::string board(48, 'b');  // the longest that a server knows
  o.trust.board = board;
  o.offer.version.assign(std::string(24, '9'));
  o.offer.size = 4294967295;
  CHECK_FALSE(signed_message(o.offer, o.trust).empty());
  o.sign();
  CHECK(o.check() == F::kNone);
}

TEST_CASE("a board's name that does not fit is signed by nobody") {
  Offered o;
  const std::string board(200, 'b');
  o.trust.board = board;
  CHECK(signed_message(o.offer, o.trust).empty());
  o.sign();
  CHECK(o.check() == F::kWrong);
}

TEST_CASE("an offer that is signed is trusted, any other is not") {
  Offered o;
  CHECK(o.check() == F::kNone);
  const std::string other_key = std::string(63, '5') + "6";
  SUBCASE("another key") { o.trust.key = other_key; }
  SUBCASE("another board") { o.trust.board = "m5stack-cores3"; }
  SUBCASE("another request") { o.trust.nonce = "0123456789abcdef0123456789abcdee"; }
  SUBCASE("no nonce") {
    o.trust.nonce = "";
    o.sign();
  }
  SUBCASE("another version") { o.offer.version.assign("2.1.1"); }
  SUBCASE("the same version, written otherwise") { o.offer.version.assign("2.1"); }
  SUBCASE("another size") { o.offer.size = 1235; }
  SUBCASE("another hash") { o.offer.sha256.assign(std::string(64, 'c')); }
  SUBCASE("by force") { o.offer.force = true; }
  SUBCASE("another signature") { o.offer.signature.assign(std::string(128, '0')); }
  CHECK(o.check() == F::kWrong);
}

TEST_CASE("a line break in a field does not make it another") {
  Offered o;
  o.trust.board = "m5stack-core2\n2.1.0";
  o.offer.version.assign("1234");
  CHECK(o.check() == F::kWrong);
}

TEST_CASE("what is no signature") {
  Offered o;
  SUBCASE("none") { o.offer.signature.clear(); }
  SUBCASE("too short") { o.offer.signature.assign(std::string(126, '0')); }
  SUBCASE("no hexadecimal") { o.offer.signature.assign(std::string(128, 'g')); }
  CHECK(o.check() == F::kUnsigned);
}

TEST_CASE("what is no key") {
  Offered o;
  SUBCASE("none") { o.trust.key = ""; }
  SUBCASE("half of one") { o.trust.key = o.trust.key.substr(32); }
  SUBCASE("no hexadecimal") { o.trust.key = kNonce; }
  CHECK(o.check() == F::kNoKey);
}

TEST_CASE("a report has a name for each fault") {
  CHECK(name_of(F::kNone).empty());
  CHECK(name_of(F::kNoKey) == "no_key");
  CHECK(name_of(F::kUnsigned) == "unsigned");
  CHECK(name_of(F::kWrong) == "wrong_signature");
}

}  // namespace lobug
