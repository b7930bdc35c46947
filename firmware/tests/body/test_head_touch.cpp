#include "lobug/body/head_touch.h"

#include <doctest/doctest.h>

#include <utility>

using lobug::HeadTouch;
using lobug::Millis;

namespace {

struct Hand {
  HeadTouch touch;
  Millis now = 1000;
  /// How often it was petted in that time.
  int lies(std::uint8_t zones, Millis ms) {
    int count = 0;
    for (Millis passed = 0; passed < ms; passed += HeadTouch::kEveryMs) {
      if (touch.update(zones, now += HeadTouch::kEveryMs)) ++count;
    }
    return count;
  }
};

constexpr std::uint8_t kFront = 0x01, kMiddle = 0x08, kBack = 0x30;

}  // namespace

TEST_CASE("a hand that rests pets once, however long it stays") {
  Hand hand;
  CHECK(hand.lies(kMiddle, 10000) == 1);
  CHECK(hand.touch.touched());
  CHECK(hand.lies(0, 100) == 0);
  CHECK_FALSE(hand.touch.touched());
}

TEST_CASE("a brush is no petting") {
  Hand hand;
  CHECK(hand.lies(kFront, 200) == 0);
  CHECK(hand.lies(0, 1000) == 0);
  CHECK(hand.lies(kFront, 200) == 0);
}

TEST_CASE("a stroke over two zones pets at once, either way") {
  for (const auto& [from, to] : {std::pair{kFront, kMiddle}, std::pair{kBack, kMiddle}}) {
    Hand hand;
    CHECK(hand.lies(from, 100) == 0);
    CHECK(hand.lies(to, 50) == 1);
    CHECK(hand.lies(from, 1000) == 0);
  }
}

TEST_CASE("strokes after one another count every three seconds") {
  Hand hand;
  int petted = 0;
  for (int stroke = 0; stroke < 30; ++stroke) {
    petted += hand.lies(kFront, 100) + hand.lies(kMiddle, 100) + hand.lies(0, 200);
  }
  CHECK(petted == 4);
}

TEST_CASE("what the sensor has beyond its three zones is nothing") {
  Hand hand;
  CHECK(hand.lies(0xC0, 1000) == 0);
  CHECK_FALSE(hand.touch.touched());
}
