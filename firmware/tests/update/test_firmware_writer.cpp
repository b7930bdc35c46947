#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lobug/update/updater.h"
#include "support/scripted_slot.h"
#include "support/sha256_crypto.h"

namespace lobug {
namespace {

std::vector<unsigned char> image_of(std::size_t size) {
  std::vector<unsigned char> image(size);
  for (std::size_t i = 0; i < size; ++i) image[i] = static_cast<unsigned char>(i * 31 + i / 256);
  return image;
}

Bytes bytes_of(const std::vector<unsigned char>& image) { return {image.data(), image.size()}; }

FirmwareOffer offer_of(const std::vector<unsigned char>& image) {
  FirmwareOffer offer;
  offer.version = Text<24>("2.1.0");
  offer.url = Text<256>("http://192.168.1.5:8321/firmware");
  offer.size = static_cast<std::uint32_t>(image.size());
  offer.sha256 = Text<64>(sha256_hex(bytes_of(image)));
  return offer;
}

struct Bench {
  ScriptedSlot slot;
  Sha256Crypto crypto;
  FirmwareWriter writer{slot, crypto};

  /// True when all was taken.
  bool feed(const std::vector<unsigned char>& image, std::size_t piece, std::uint32_t total = 0) {
    for (std::size_t at = 0; at < image.size(); at += piece) {
      const std::size_t count = std::min(piece, image.size() - at);
      if (!writer.take(Bytes(image.data() + at, count), total)) return false;
    }
    return true;
  }
  /// Nothing is left open and the running image is what starts next.
  bool is_clean() {
    const bool closed = crypto.open == 0 && !slot.is_writing();
    slot.power_cycle();
    return closed && slot.running_version() == "2.0.0" && !slot.on_trial();
  }
};

TEST_CASE("the test's own SHA-256 is right (FIPS 180-4, examples)") {
  const std::string abc = "abc";
  CHECK(sha256_hex(Bytes(reinterpret_cast<const unsigned char*>(abc.data()), 3)) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex(Bytes()) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("a whole image is written, verified and started on trial, in whatever pieces it comes") {
  const std::vector<unsigned char> image = image_of(5000);
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{7}, std::size_t{1436}, image.size()}) {
    CAPTURE(piece);
    Bench bench;
    REQUIRE(bench.writer.begin(offer_of(image)));
    CHECK(bench.writer.percent() == 0);
    REQUIRE(bench.feed(image, piece, 5000));
    CHECK(bench.writer.percent() == 100);
    CHECK(bench.slot.written() == image);
    CHECK(bench.slot.activated == 0);  // not before it is verified
    CHECK(bench.writer.finish() == UpdateFault::kNone);
    CHECK(bench.slot.activated == 1);
    CHECK(bench.slot.abandoned == 0);
    CHECK(bench.crypto.open == 0);
    bench.slot.power_cycle();
    CHECK(bench.slot.running_version() == "2.1.0");
    CHECK(bench.slot.on_trial());
  }
}

TEST_CASE("percent counts what was written") {
  const std::vector<unsigned char> image = image_of(300);
  Bench bench;
  CHECK(bench.writer.percent() == 0);
  REQUIRE(bench.writer.begin(offer_of(image)));
  REQUIRE(bench.writer.take(bytes_of(image).first(100), 0));
  CHECK(bench.writer.percent() == 33);
  REQUIRE(bench.writer.take(bytes_of(image).drop(100).first(199), 0));
  CHECK(bench.writer.percent() == 99);
}

TEST_CASE("one wrong bit is a wrong hash, wherever it is") {
  const std::vector<unsigned char> good = image_of(200);
  for (std::size_t at = 0; at < good.size(); at += 33) {
    Bench bench;
    std::vector<unsigned char> image = good;
    image[at] ^= 0x10U;
    REQUIRE(bench.writer.begin(offer_of(good)));
    REQUIRE(bench.feed(image, 64));
    CHECK(bench.writer.finish() == UpdateFault::kWrongHash);
    CHECK(bench.slot.activated == 0);
    CHECK(bench.slot.abandoned == 1);
    CHECK(bench.is_clean());
  }
}

TEST_CASE("an image that ends early is incomplete") {
  const std::vector<unsigned char> image = image_of(200);
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{199}}) {
    Bench bench;
    REQUIRE(bench.writer.begin(offer_of(image)));
    REQUIRE(bench.writer.take(bytes_of(image).first(count), 0));
    CHECK(bench.writer.finish() == UpdateFault::kIncomplete);
    CHECK(bench.slot.activated == 0);
    CHECK(bench.slot.abandoned == 1);
    CHECK(bench.writer.finish() == UpdateFault::kIncomplete);
    CHECK(bench.is_clean());
  }
}

TEST_CASE("one byte too many ends it before it is written") {
  const std::vector<unsigned char> image = image_of(201);
  std::vector<unsigned char> offered = image;
  offered.pop_back();
  Bench bench;
  REQUIRE(bench.writer.begin(offer_of(offered)));
  CHECK_FALSE(bench.feed(image, 50));
  CHECK(bench.slot.written().size() == 200);
  CHECK(bench.slot.abandoned == 1);
  CHECK(bench.writer.finish() == UpdateFault::kWrongSize);
  CHECK_FALSE(bench.writer.take(bytes_of(image).first(1), 0));  // and nothing more is taken
  CHECK(bench.slot.activated == 0);
  CHECK(bench.is_clean());
}

TEST_CASE("a server that announces another length is stopped at the first piece") {
  const std::vector<unsigned char> image = image_of(200);
  Bench bench;
  REQUIRE(bench.writer.begin(offer_of(image)));
  CHECK_FALSE(bench.writer.take(bytes_of(image).first(10), 199));
  CHECK(bench.slot.written().empty());
  CHECK(bench.writer.finish() == UpdateFault::kWrongSize);
  CHECK(bench.is_clean());
}

TEST_CASE("flash that cannot be written fails at whatever byte it is") {
  const std::vector<unsigned char> image = image_of(200);
  for (const std::size_t at : {std::size_t{1}, std::size_t{100}, std::size_t{200}}) {
    Bench bench;
    bench.slot.write_fails_at = at;
    REQUIRE(bench.writer.begin(offer_of(image)));
    CHECK_FALSE(bench.feed(image, 20));
    CHECK(bench.slot.abandoned == 1);
    CHECK(bench.writer.finish() == UpdateFault::kWriteFailed);
    CHECK(bench.slot.activated == 0);
    CHECK(bench.is_clean());
  }
}

TEST_CASE("an image that cannot be activated is given up") {
  const std::vector<unsigned char> image = image_of(200);
  Bench bench;
  bench.slot.activate_fails = true;
  REQUIRE(bench.writer.begin(offer_of(image)));
  REQUIRE(bench.feed(image, 200));
  CHECK(bench.writer.finish() == UpdateFault::kWriteFailed);
  CHECK(bench.slot.abandoned == 1);
  CHECK(bench.is_clean());
}

TEST_CASE("what cannot be begun says why and touches nothing") {
  const std::vector<unsigned char> image = image_of(200);
  Bench bench;
  FirmwareOffer offer = offer_of(image);
  CHECK(bench.writer.finish() == UpdateFault::kIncomplete);  // nothing was begun

  offer.sha256 = Text<64>("0123");
  CHECK_FALSE(bench.writer.begin(offer));
  CHECK(bench.writer.finish() == UpdateFault::kWrongHash);
  offer = offer_of(image);
  offer.size = 0;
  CHECK_FALSE(bench.writer.begin(offer));
  CHECK(bench.writer.finish() == UpdateFault::kWrongSize);
  offer.size = bench.slot.capacity() + 1;
  CHECK_FALSE(bench.writer.begin(offer));
  CHECK(bench.writer.finish() == UpdateFault::kTooLarge);
  CHECK(bench.slot.begun == 0);

  bench.slot.begin_fails = true;
  CHECK_FALSE(bench.writer.begin(offer_of(image)));
  CHECK(bench.writer.finish() == UpdateFault::kWriteFailed);
  CHECK_FALSE(bench.writer.take(bytes_of(image), 0));
  CHECK(bench.is_clean());
}

TEST_CASE("abandoned at any time, a second download begins from nothing") {
  const std::vector<unsigned char> image = image_of(200);
  Bench bench;
  bench.writer.abandon();
  CHECK(bench.slot.abandoned == 0);
  REQUIRE(bench.writer.begin(offer_of(image)));
  REQUIRE(bench.writer.take(bytes_of(image).first(60), 0));
  bench.writer.abandon();
  bench.writer.abandon();
  CHECK(bench.slot.abandoned == 1);
  CHECK(bench.writer.finish() == UpdateFault::kIncomplete);

  REQUIRE(bench.writer.begin(offer_of(image)));
  REQUIRE(bench.writer.take(bytes_of(image).first(60), 0));
  REQUIRE(bench.writer.begin(offer_of(image)));  // without an end of the first
  CHECK(bench.slot.abandoned == 2);
  REQUIRE(bench.feed(image, 33));
  CHECK(bench.writer.finish() == UpdateFault::kNone);
  CHECK(bench.crypto.open == 0);
}

TEST_CASE("a writer that goes away in the middle leaves nothing open") {
  const std::vector<unsigned char> image = image_of(200);
  ScriptedSlot slot;
  Sha256Crypto crypto;
  {
    FirmwareWriter writer(slot, crypto);
    REQUIRE(writer.begin(offer_of(image)));
    REQUIRE(writer.take(bytes_of(image).first(60), 0));
  }
  CHECK(slot.abandoned == 1);
  CHECK(crypto.open == 0);
}

}  // namespace
}  // namespace lobug
