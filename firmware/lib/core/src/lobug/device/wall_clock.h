// What time it is: from the clock chip at the start, then from the server.
#pragma once

#include <cstdint>

#include "lobug/base/calendar.h"
#include "lobug/ports/store.h"
#include "lobug/ports/system.h"

namespace lobug {

/// The time may be wrong: the clock chip's battery was flat, or somebody set it wrongly. So it
/// counts as confirmed only once the server has told it over a connection that was verified in
/// every respect; until then a certificate that seems to be out of date is a reason to ask.
class WallClock {
 public:
  WallClock(System& system, Store& store) : system_(system), store_(store) {}

  /// At the start: takes the machine's clock for what it is, and the stored offset of local time.
  void begin();

  bool known() const { return is_plausible_time(system_.unix_ms() / 1000); }
  /// Seconds since 1970 (UTC); 0: not known.
  std::int64_t unix_seconds() const { return known() ? system_.unix_ms() / 1000 : 0; }
  /// The same as clocks on the wall show it; 0: not known.
  std::int64_t local_seconds() const;
  bool confirmed() const { return confirmed_; }

  /// Discovery's answer. `verified`: over TLS. What is no time is ignored: false.
  bool told(std::int64_t unix_ms, std::int32_t utc_offset_min, bool verified);
  /// The time of somebody whose certificate's dates could not be checked. False when it is none.
  /// True in `was_wrong` when another time was known that differs by more than a day.
  bool suggested(std::int64_t unix_seconds, bool& was_wrong);

 private:
  System& system_;
  Store& store_;
  std::int32_t utc_offset_min_ = 0;
  bool confirmed_ = false;
};

}  // namespace lobug
