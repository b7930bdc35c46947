#include <doctest/doctest.h>

#include "lobug/update/updater.h"
#include "support/scripted_slot.h"

namespace lobug {
namespace {

FirmwareOffer good_offer() {
  FirmwareOffer offer;
  offer.version = Text<24>("2.1.0");
  offer.url = Text<256>("http://192.168.1.5:8321/firmware/m5stack-core2.bin");
  offer.size = 1000;
  for (int i = 0; i < 64; ++i) offer.sha256.append('a');
  return offer;
}

TEST_CASE("a version is newer by its numbers, from the left") {
  CHECK(is_newer("2.10.0", "2.9.1"));
  CHECK(is_newer("3", "2.99.99.99"));
  CHECK(is_newer("2.0.1", "2.0"));
  CHECK(is_newer("2.0.0.1", "2.0.0"));
  CHECK(is_newer("1.0", "0.999999.0"));
  CHECK_FALSE(is_newer("2.9.1", "2.10.0"));
  CHECK_FALSE(is_newer("2.0", "2.0.0"));
  CHECK_FALSE(is_newer("2.0.0", "2.0"));
  CHECK_FALSE(is_newer("02.1", "2.1"));
  CHECK_FALSE(is_newer("2.1", "2.1"));
}

TEST_CASE("what is no version is never newer, and nothing is newer than it") {
  const char* const others[] = {"",     "v9.9",    "9.",        ".9",      "9..1", "9.1-rc1",
                                " 9.1", "9.1 ",    "1.2.3.4.5", "-1.0",    "+9.0", "9999999.0",
                                "9,1",  "1.0\n.2", "nine",      "9.1.0.0."};
  for (const char* const other : others) {
    CAPTURE(other);
    CHECK_FALSE(is_newer(other, "1.0.0"));
    CHECK_FALSE(is_newer("9.9.9", other));
  }
  CHECK_FALSE(is_newer(nullptr, "1.0"));
  CHECK_FALSE(is_newer("1.0", nullptr));
}

TEST_CASE("an offer is taken when it is newer and says what it is") {
  ScriptedSlot slot("2.0.0", 1000);
  CHECK(worth_taking(good_offer(), slot));

  FirmwareOffer offer = good_offer();
  offer.version = Text<24>("2.0.0");
  CHECK_FALSE(worth_taking(offer, slot));
  offer.force = true;
  CHECK_FALSE(worth_taking(offer, slot));  // the same one, again and again
  offer.version = Text<24>("2.0");
  CHECK_FALSE(worth_taking(offer, slot));
  offer.version = Text<24>("1.9.0");
  CHECK(worth_taking(offer, slot));
  offer.force = false;
  CHECK_FALSE(worth_taking(offer, slot));
}

TEST_CASE("an offer without a size, a digest or an address is never taken, not even by force") {
  ScriptedSlot slot("2.0.0", 1000);
  for (const bool force : {false, true}) {
    FirmwareOffer offer = good_offer();
    offer.force = force;
    CHECK(worth_taking(offer, slot));
    offer.size = 0;
    CHECK_FALSE(worth_taking(offer, slot));
    offer.size = 1001;
    CHECK_FALSE(worth_taking(offer, slot));

    offer = good_offer();
    offer.force = force;
    offer.sha256.clear();
    CHECK_FALSE(worth_taking(offer, slot));
    for (int i = 0; i < 63; ++i) offer.sha256.append('0');
    CHECK_FALSE(worth_taking(offer, slot));
    offer.sha256.append('g');
    CHECK_FALSE(worth_taking(offer, slot));

    offer = good_offer();
    offer.force = force;
    offer.url.clear();
    CHECK_FALSE(worth_taking(offer, slot));

    offer = good_offer();
    offer.force = force;
    offer.version = Text<24>("newest");
    CHECK_FALSE(worth_taking(offer, slot));
    offer.version.clear();
    CHECK_FALSE(worth_taking(offer, slot));
  }
}

TEST_CASE("an image whose own version is none takes what is forced on it alone") {
  ScriptedSlot slot("dev", 1000);
  FirmwareOffer offer = good_offer();
  CHECK_FALSE(worth_taking(offer, slot));
  offer.force = true;
  CHECK(worth_taking(offer, slot));
}

TEST_CASE("a digest is 64 hexadecimal digits in either case") {
  Sha256Digest digest{};
  REQUIRE(parse_sha256("000102030405060708090A0b0c0d0e0f101112131415161718191a1b1c1d1efF", digest));
  for (std::size_t i = 0; i < 31; ++i) CHECK(digest[i] == i);
  CHECK(digest[31] == 0xFF);
  CHECK_FALSE(parse_sha256("", digest));
  CHECK_FALSE(parse_sha256("00", digest));
}

}  // namespace
}  // namespace lobug
