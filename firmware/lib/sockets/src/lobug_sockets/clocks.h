// What connections need to know of time, passed in as everywhere.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"

namespace lobug {

struct Clocks {
  /// Milliseconds since some beginning, for time-outs.
  Millis (*now)() = nullptr;
  /// Seconds since 1970 (UTC), for the validity of certificates. A device that has not been told
  /// the time yet says something before 2024, and then no certificate counts as valid.
  std::int64_t (*unix_seconds)() = nullptr;
};

}  // namespace lobug
