#include <doctest/doctest.h>

#include "lobug/base/calendar.h"

using namespace lobug;

namespace {

bool same(const DateTime& moment, int year, int month, int day, int hour, int minute, int second,
          int weekday) {
  return moment.year == year && moment.month == month && moment.day == day && moment.hour == hour &&
         moment.minute == minute && moment.second == second && moment.weekday == weekday;
}

}  // namespace

TEST_CASE("moments that everybody knows") {
  CHECK(same(date_time_of(0), 1970, 1, 1, 0, 0, 0, 4));
  CHECK(same(date_time_of(-1), 1969, 12, 31, 23, 59, 59, 3));
  CHECK(same(date_time_of(951782400), 2000, 2, 29, 0, 0, 0, 2));
  CHECK(same(date_time_of(1795322132), 2026, 11, 22, 4, 35, 32, 0));
  CHECK(same(date_time_of(kEarliestTime), 2024, 1, 1, 0, 0, 0, 1));
  CHECK(same(date_time_of(kLatestTime), 2100, 1, 1, 0, 0, 0, 5));
}

TEST_CASE("every day of four centuries follows the one before it, and is read back") {
  DateTime before = date_time_of(0);
  for (std::int64_t day = 1; day <= 146097; ++day) {
    const std::int64_t seconds = day * 86400 + day % 86400;
    const DateTime moment = date_time_of(seconds);
    const bool next_day =
        moment.day == before.day + 1 && moment.month == before.month && moment.year == before.year;
    const bool next_month =
        moment.day == 1 && before.day >= 28 &&
        (moment.month == before.month + 1 || (moment.month == 1 && before.month == 12));
    const bool good = (next_day || next_month) && moment.weekday == (before.weekday + 1) % 7 &&
                      unix_seconds_of(moment) == seconds;
    if (!good) {
      CAPTURE(day);
      CHECK(good);
      return;
    }
    before = moment;
  }
  CHECK(before.year == 2370);
}

TEST_CASE("a date that does not exist is none") {
  const auto seconds = [](int year, int month, int day, int hour = 0, int minute = 0,
                          int second = 0) {
    DateTime moment;
    moment.year = year;
    moment.month = static_cast<std::uint8_t>(month);
    moment.day = static_cast<std::uint8_t>(day);
    moment.hour = static_cast<std::uint8_t>(hour);
    moment.minute = static_cast<std::uint8_t>(minute);
    moment.second = static_cast<std::uint8_t>(second);
    return unix_seconds_of(moment);
  };
  CHECK(seconds(2028, 2, 29) == 1835395200);
  CHECK(seconds(2027, 2, 29) == -1);
  CHECK(seconds(2026, 4, 31) == -1);
  CHECK(seconds(2026, 0, 1) == -1);
  CHECK(seconds(2026, 13, 1) == -1);
  CHECK(seconds(2026, 1, 0) == -1);
  CHECK(seconds(2026, 1, 1, 24) == -1);
  CHECK(seconds(2026, 1, 1, 0, 60) == -1);
  CHECK(seconds(2026, 1, 1, 0, 0, 60) == -1);
  CHECK(seconds(1969, 12, 31) == -1);
}
