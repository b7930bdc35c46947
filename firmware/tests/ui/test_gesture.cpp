#include <doctest/doctest.h>

#include "lobug/ui/gesture.h"

using namespace lobug;
using Kind = Gesture::Kind;

TEST_CASE("a short touch is a tap where it began") {
  GestureSense sense;
  CHECK(sense.update({true, 100, 50}, 0).kind == Kind::kPress);
  CHECK(sense.update({true, 105, 52}, 100).kind == Kind::kNone);
  const Gesture tap = sense.update({false, 0, 0}, 200);
  CHECK(tap.kind == Kind::kTap);
  CHECK(tap.from_x == 100);
  CHECK(tap.x == 105);
  CHECK(sense.update({false, 0, 0}, 210).kind == Kind::kNone);
}

TEST_CASE("a touch that stays is a hold, and its end is told, however the finger wanders then") {
  GestureSense sense;
  sense.update({true, 100, 50}, 0);
  CHECK(sense.update({true, 100, 50}, GestureSense::kHoldMs - 1).kind == Kind::kNone);
  CHECK(sense.update({true, 100, 50}, GestureSense::kHoldMs).kind == Kind::kHold);
  CHECK(sense.update({true, 300, 50}, 500).kind == Kind::kNone);
  CHECK(sense.update({false, 0, 0}, 900).kind == Kind::kHoldEnd);
}

TEST_CASE("a touch that moves is neither tap nor hold") {
  GestureSense sense;
  sense.update({true, 100, 50}, 0);
  CHECK(sense.update({true, 100 + GestureSense::kMovedPx + 1, 50}, 50).kind == Kind::kSlide);
  CHECK(sense.update({true, 100, 50}, 2000).kind == Kind::kSlide);
  CHECK(sense.update({false, 0, 0}, 2050).kind == Kind::kSlideEnd);
}

TEST_CASE("the clock may wrap in a hold") {
  GestureSense sense;
  sense.update({true, 1, 1}, 0xFFFFFF00U);
  CHECK(sense.update({true, 1, 1}, 0xFFFFFFF0U).kind == Kind::kNone);
  CHECK(sense.update({true, 1, 1}, 0x000000A0U).kind == Kind::kHold);
}
