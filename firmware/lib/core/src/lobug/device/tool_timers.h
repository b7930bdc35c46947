// Timers that a tool has started: they ring on the device, whether or not the server is there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/text.h"

namespace lobug {

/// A timer as it stands now.
struct TimerState {
  std::string_view label;  ///< may be empty
  Millis left = 0;         ///< 0: it rings
};

/// A timer that is over rings until somebody acknowledges it, for a minute at most: one signal
/// could be missed by who is in the next room.
class ToolTimers {
 public:
  static constexpr std::size_t kMost = 8;
  static constexpr Millis kSignalMs = 10000;  ///< from one signal to the next
  static constexpr Millis kRingMs = 60000;    ///< of signals, behind the last timer that was over
  using Label = Text<64>;

  /// False when all are in use.
  bool start(std::uint32_t seconds, std::string_view label, Millis now);
  /// Ends those of that label, whichever case it is written in; of an empty one: all. Returns how
  /// many ran or rang.
  std::size_t cancel(std::string_view label);
  /// The one that is over as number `place`, counted from 0; false when there are no so many.
  bool find(std::size_t place, Millis now, TimerState& into) const;

  /// To be called often. True when the device is to give a signal now.
  bool step(Millis now);
  bool ringing() const { return silent_at_.is_set(); }
  /// Somebody has noticed: what rings is over.
  void acknowledge();
  /// What rings, for the screen: "tea, eggs". Labels that do not fit are cut off.
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
