// When the server is to be told what the device feels.
#pragma once

#include "lobug/base/clock.h"
#include "lobug/senses/motion.h"

namespace lobug {

/// On a change, and every 5 s; never more often than twice a second, or than is told.
class SensorReporter {
 public:
  static constexpr Millis kEveryMs = 5000;
  static constexpr Millis kLeastMs = 500;

  /// Whether a report is due; what it is to hold is the motion that was passed.
  bool due(const Motion& motion, Millis now, Millis least = kLeastMs) const {
    if (!begun_) return true;
    const Millis since = elapsed(sent_at_, now);
    if (since >= kEveryMs) return true;
    return since >= least &&
           (motion.orientation != sent_.orientation || motion.moving != sent_.moving ||
            motion.shaking != sent_.shaking || motion.taps != sent_.taps);
  }
  /// Whether it was tapped since the last report.
  bool tapped(const Motion& motion) const { return begun_ && motion.taps != sent_.taps; }
  void sent(const Motion& motion, Millis now) {
    sent_ = motion;
    sent_at_ = now;
    begun_ = true;
  }

 private:
  Motion sent_;
  Millis sent_at_ = 0;
  bool begun_ = false;
};

}  // namespace lobug
