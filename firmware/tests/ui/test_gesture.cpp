#include <doctest/doctest.h>

#include "lobug/ui/gesture.h"

using namespace lobug;
using GestureKind = Gesture::Kind;

TEST_CASE("a short touch is a tap where it began") {
  GestureSense sense;
  CHECK(sense.update({true, 100, 50}, 0).kind == GestureKind::kPress);
  CHECK(sense.update({true, 105, 52}, 100).kind == GestureKind::kNone);
  const Gesture tap = sense.update({false, 0, 0}, 200);
  CHECK(tap.kind == GestureKind::kTap);
  CHECK(tap.from_x == 100);
  CHECK(tap.x == 105);
  CHECK(sense.update({false, 0, 0}, 210).kind == GestureKind::kNone);
}

TEST_CASE("a touch that stays is a hold, and its end is told, however the finger wanders then") {
  GestureSense sense;
  sense.update({true, 100, 50}, 0);
  CHECK(sense.update({true, 100, 50}, GestureSense::kHoldMs - 1).kind == GestureKind::kNone);
  CHECK(sense.update({true, 100, 50}, GestureSense::kHoldMs).kind == GestureKind::kHold);
  CHECK(sense.update({true, 300, 50}, 500).kind == GestureKind::kNone);
  CHECK(sense.update({false, 0, 0}, 900).kind == GestureKind::kHoldEnd);
}

TEST_CASE("a touch that moves is neither tap nor hold") {
  GestureSense sense;
  sense.update({true, 100, 50}, 0);
  CHECK(sense.update({true, 100 + GestureSense::kMovedPx + 1, 50}, 50).kind == GestureKind::kSlide);
  CHECK(sense.update({true, 100, 50}, 2000).kind == GestureKind::kSlide);
  CHECK(sense.update({false, 0, 0}, 2050).kind == GestureKind::kSlideEnd);
}

TEST_CASE("the clock may wrap in a hold") {
  GestureSense sense;
  sense.update({true, 1, 1}, 0xFFFFFF00U);
  CHECK(sense.update({true, 1, 1}, 0xFFFFFFF0U).kind == GestureKind::kNone);
  CHECK(sense.update({true, 1, 1}, 0x000000A0U).kind == GestureKind::kHold);
}
