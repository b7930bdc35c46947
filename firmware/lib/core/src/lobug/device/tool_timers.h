// Timers that a tool has started. They ring on the device, also without the server, and outlive a
// restart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/text.h"
#include "lobug/language/phrases.h"

namespace lobug {

/// The present state of a timer.
struct TimerState {
  std::string_view label;  ///< may be empty
  Millis left = 0;         ///< 0: it rings
  Millis total = 0;        ///< what it was started with
};

/// What is stored of a timer.
struct StoredTimer {
  /// When it ends, seconds since 1970; 0: the time was not known when it was stored.
  std::int64_t end = 0;
  std::uint32_t left_s = 0;  ///< at the moment when it was stored; 0: it rang
  std::uint32_t total_s = 0;
  Text<64> label;
};

/// A timer that is over rings until the owner acknowledges it, for a minute at most: one signal
/// could be missed from the next room.
class ToolTimers {
 public:
  static constexpr std::size_t kMost = 8;
  static constexpr std::uint32_t kLongestS = 86400;
  static constexpr Millis kSignalMs = 10000;  ///< from one signal to the next
  static constexpr Millis kRingMs = 60000;    ///< of signals, behind the last timer that was over
  /// One that ended while the device was off rings if it is not later than this, seconds.
  static constexpr std::int64_t kStillRingsS = 3600;
  using Label = Text<64>;

  /// False when all are in use.
  bool start(std::uint32_t seconds, std::string_view label, Millis now);
  /// Ends the timers with that label, in any case; with an empty label, all. Returns how
  /// many ran or rang.
  std::size_t cancel(std::string_view label);
  /// The timer that ends as number `place`, counted from 0; false when there are fewer.
  bool find(std::size_t place, Millis now, TimerState& into) const;
  bool in_use() const;

  /// To be called often. True when the device is to give a signal now.
  bool step(Millis now);
  bool ringing() const { return silent_at_.is_set(); }
  /// The owner has noticed: the ringing ends.
  void acknowledge();
  /// The ringing timers for the screen: "tea, eggs (5 min late)". What does not fit is cut off.
  Text<256> words(const Phrases& phrases) const;

  // Across a restart. Timers are stored by their place, 0 to kMost - 1.

  enum class Restored : std::uint8_t {
    kRuns,    ///< or rings, because it ended a short while ago
    kMissed,  ///< it ended so long ago that ringing would help nobody
  };
  /// Goes on with a stored timer in an unused place. `unix_seconds`: the time; 0: not known. Then
  /// it goes on with what was left, which makes it late by the time that the device was off, until
  /// `clock_set`.
  Restored restore(std::size_t place, const StoredTimer& stored, std::int64_t unix_seconds,
                   Millis now);
  /// The time has become known: timers that were restored without it end when they should.
  void clock_set(std::int64_t unix_seconds, Millis now);
  /// Whether the timer in that place is to be stored (or, when it is not in use, to be erased)
  /// since the last call for it.
  bool take_change(std::size_t place);
  /// All running ones are to be stored: the device is about to restart, or has learnt the time.
  void touch();
  /// False when the place is not in use.
  bool stored(std::size_t place, std::int64_t unix_seconds, Millis now, StoredTimer& into) const;

 private:
  struct Timer {
    Deadline at;  ///< set while it runs
    bool rings = false;
    bool changed = false;
    Millis total = 0;
    std::int64_t end = 0;        ///< restored without a clock: when it should have ended
    std::uint16_t late_min = 0;  ///< it ended so long ago, while the device was off
    Label label;
    bool in_use() const { return at.is_set() || rings; }
  };
  static void end_at(Timer& timer, std::int64_t end, std::int64_t unix_seconds, Millis now);

  std::array<Timer, kMost> timers_{};
  Deadline again_;      ///< the next signal,
  Deadline silent_at_;  ///< ... until then; both set while one rings
};

}  // namespace lobug
