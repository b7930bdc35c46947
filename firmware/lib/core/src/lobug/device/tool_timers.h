// Timers that a tool has started. They ring on the device, also without the server.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/text.h"

namespace lobug {

/// The present state of a timer.
struct TimerState {
  std::string_view label;  ///< may be empty
  Millis left = 0;         ///< 0: it rings
};

/// A timer that is over rings until the owner acknowledges it, for a minute at most: one signal
/// could be missed from the next room.
class ToolTimers {
 public:
  static constexpr std::size_t kMost = 8;
  static constexpr Millis kSignalMs = 10000;  ///< from one signal to the next
  static constexpr Millis kRingMs = 60000;    ///< of signals, behind the last timer that was over
  using Label = Text<64>;

  /// False when all are in use.
  bool start(std::uint32_t seconds, std::string_view label, Millis now);
  /// Ends the timers with that label, in any case; with an empty label, all. Returns how
  /// many ran or rang.
  std::size_t cancel(std::string_view label);
  /// The timer that ends as number `place`, counted from 0; false when there are fewer.
  bool find(std::size_t place, Millis now, TimerState& into) const;

  /// To be called often. True when the device is to give a signal now.
  bool step(Millis now);
  bool ringing() const { return silent_at_.is_set(); }
  /// The owner has noticed: the ringing ends.
  void acknowledge();
  /// The ringing timers for the screen: "tea, eggs". Labels that do not fit are cut off.
  Text<256> words() const;

 private:
  struct Timer {
    Deadline at;  ///< set while it runs
    bool rings = false;
    Label label;
    bool in_use() const { return at.is_set() || rings; }
  };
  std::array<Timer, kMost> timers_{};
  Deadline again_;      ///< the next signal,
  Deadline silent_at_;  ///< ... until then; both set while one rings
};

}  // namespace lobug
