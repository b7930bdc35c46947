// The tool's timers in the device's store, so that a restart, an update or a flat battery does not
// end them.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/base/text.h"
#include "lobug/device/tool_timers.h"
#include "lobug/language/phrases.h"
#include "lobug/ports/store.h"

namespace lobug {

/// One key for each place, `timer_0` to `timer_7`: "END LEFT TOTAL LABEL", seconds. Written when a
/// timer starts, ends or is cancelled, and each minute as long as the time is not known.
class TimerStore {
 public:
  static constexpr Millis kWithoutClockMs = 60000;

  explicit TimerStore(Store& store) : store_(store) {}

  /// At the start. Returns the labels of timers that ended long ago, "tea, eggs"; empty: none.
  Text<256> load(ToolTimers& timers, const Phrases& phrases, std::int64_t unix_seconds, Millis now);
  /// Writes what has changed. False when something could not be written.
  bool save(ToolTimers& timers, std::int64_t unix_seconds, Millis now);

 private:
  Store& store_;
  Deadline again_at_;  ///< set while timers run without a clock
};

}  // namespace lobug
