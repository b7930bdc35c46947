// What a finger on the screen means: a tap, a hold, a slide.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"

namespace lobug {

/// One finger. y may be up to 279: the Core2's three buttons lie below the picture (240 and more);
/// on the CoreS3 the picture's own lower corners stand for them (`buttons_below` false).
struct Touch {
  bool down = false;
  std::int16_t x = 0, y = 0;
};

/// The gesture that one reading completes.
struct Gesture {
  enum class Kind : std::uint8_t {
    kNone,
    kPress,    ///< a finger came down
    kTap,      ///< it left soon, where it came down
    kHold,     ///< it stayed where it came down
    kHoldEnd,  ///< it left after a hold
    kSlide,    ///< it moved; from now on it is neither tap nor hold
    kSlideEnd,
  };
  Kind kind = Kind::kNone;
  std::int16_t x = 0, y = 0;            ///< where the finger is, or was last
  std::int16_t from_x = 0, from_y = 0;  ///< where it came down
};

class GestureSense {
 public:
  static constexpr Millis kHoldMs = 400;
  static constexpr std::int16_t kMovedPx = 18;  ///< a finger is never quite still

  Gesture update(const Touch& touch, Millis now);

 private:
  enum class Phase : std::uint8_t { kUp, kDown, kHeld, kSliding };

  Phase phase_ = Phase::kUp;
  Deadline hold_at_;
  std::int16_t x_ = 0, y_ = 0, from_x_ = 0, from_y_ = 0;
};

}  // namespace lobug
