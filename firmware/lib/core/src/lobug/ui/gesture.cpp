#include "lobug/ui/gesture.h"

namespace lobug {
namespace {

std::int16_t distance(std::int16_t a, std::int16_t b) {
  return static_cast<std::int16_t>(a > b ? a - b : b - a);
}

}  // namespace

Gesture GestureSense::update(const Touch& touch, Millis now) {
  Gesture gesture;
  if (touch.down) {
    x_ = touch.x;
    y_ = touch.y;
  }
  if (phase_ == Phase::kUp) {
    if (touch.down) {
      phase_ = Phase::kDown;
      from_x_ = x_;
      from_y_ = y_;
      hold_at_.set(now, kHoldMs);
      gesture.kind = Gesture::Kind::kPress;
    }
  } else if (!touch.down) {
    gesture.kind = phase_ == Phase::kHeld      ? Gesture::Kind::kHoldEnd
                   : phase_ == Phase::kSliding ? Gesture::Kind::kSlideEnd
                                               : Gesture::Kind::kTap;
    phase_ = Phase::kUp;
  } else if (phase_ == Phase::kSliding) {
    gesture.kind = Gesture::Kind::kSlide;
  } else if (phase_ == Phase::kDown) {
    // A finger may move after a hold has begun; one that moves before that slides.
    if (distance(x_, from_x_) > kMovedPx || distance(y_, from_y_) > kMovedPx) {
      phase_ = Phase::kSliding;
      gesture.kind = Gesture::Kind::kSlide;
    } else if (hold_at_.due(now)) {
      phase_ = Phase::kHeld;
      gesture.kind = Gesture::Kind::kHold;
    }
  }
  gesture.x = x_;
  gesture.y = y_;
  gesture.from_x = from_x_;
  gesture.from_y = from_y_;
  return gesture;
}

}  // namespace lobug
