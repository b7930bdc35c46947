// Whether somebody strokes the head: from the readings of the touch sensor's three zones.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"

namespace lobug {

/// A hand that rests on the head for a moment, or goes over two of its zones, pets it. A brush does
/// not.
class HeadTouch {
 public:
  static constexpr Millis kEveryMs = 50;    ///< time between two readings
  static constexpr Millis kRestsMs = 400;   ///< a hand that stays so long pets
  static constexpr Millis kAgainMs = 3000;  ///< before the next petting counts

  /// `zones` as BodyPort::head_touch gives them. True once for each petting.
  bool update(std::uint8_t zones, Millis now);
  /// A hand is there.
  bool touched() const { return touched_; }

 private:
  bool touched_ = false;
  bool counted_ = false;   ///< this hand's petting has counted
  std::uint8_t seen_ = 0;  ///< zones that it has touched, a bit each
  Deadline rests_;
  Deadline again_;
};

}  // namespace lobug
