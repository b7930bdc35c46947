// Dates of the Gregorian calendar and seconds since 1970. UTC, without leap seconds.
#pragma once

#include <cstdint>

namespace lobug {

/// One moment, as clocks show it.
struct DateTime {
  std::int32_t year = 1970;
  std::uint8_t month = 1;    ///< 1 to 12
  std::uint8_t day = 1;      ///< 1 to 31
  std::uint8_t hour = 0;     ///< 0 to 23
  std::uint8_t minute = 0;   ///< 0 to 59
  std::uint8_t second = 0;   ///< 0 to 59
  std::uint8_t weekday = 4;  ///< 0: Sunday
};

/// A day as the clock on the screen shows it; month 0: not known.
struct CalendarDay {
  std::uint8_t weekday = 0;  ///< 0: Sunday
  std::uint8_t day = 0;      ///< 1 to 31
  std::uint8_t month = 0;    ///< 1 to 12
};
constexpr bool operator==(const CalendarDay& a, const CalendarDay& b) {
  return a.weekday == b.weekday && a.day == b.day && a.month == b.month;
}
constexpr bool operator!=(const CalendarDay& a, const CalendarDay& b) { return !(a == b); }

/// Of any moment from the year 0 to 9999.
DateTime date_time_of(std::int64_t unix_seconds);
/// The weekday is not looked at. -1 for a date that does not exist or lies before 1970.
std::int64_t unix_seconds_of(const DateTime& moment);

/// A clock that says less was never set: 2024-01-01.
constexpr std::int64_t kEarliestTime = 1704067200;
/// ... and what says more is not a clock: 2100-01-01.
constexpr std::int64_t kLatestTime = 4102444800;
constexpr bool is_plausible_time(std::int64_t unix_seconds) {
  return unix_seconds >= kEarliestTime && unix_seconds < kLatestTime;
}

}  // namespace lobug
