// What a shortage of memory leads to: first less work, then a restart.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"

namespace lobug {

/// Below kLow, sensor reports and updates are left out. Below kCritical for a minute, a restart in
/// a quiet moment is better than a crash in the middle of a sentence; but only where there was
/// enough memory once, since a restart would not help otherwise.
class MemoryWatch {
 public:
  static constexpr std::uint32_t kLow = 16384;      ///< bytes
  static constexpr std::uint32_t kCritical = 8192;  ///< bytes
  static constexpr Millis kCriticalMs = 60000;

  bool is_low() const { return low_; }
  /// Takes the free memory, in bytes. `has_session`: everything that the device needs is allocated.
  /// True when it has become low just now.
  bool update(std::uint32_t bytes, bool has_session, Millis now) {
    const bool was_low = low_;
    low_ = bytes < kLow;
    if (!low_ && has_session) had_enough_ = true;
    if (bytes >= kCritical || !had_enough_) {
      restart_at_.clear();
    } else if (!restart_at_.is_set()) {
      restart_at_.set(now, kCriticalMs);
    }
    return low_ && !was_low;
  }
  /// Whether to restart in the next quiet moment.
  bool wants_restart(Millis now) const { return restart_at_.due(now); }

 private:
  bool low_ = false;
  bool had_enough_ = false;
  Deadline restart_at_;
};

}  // namespace lobug
