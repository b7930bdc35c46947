#include "lobug/base/calendar.h"

namespace lobug {
namespace {

constexpr std::int32_t kDaysTo1970 = 719468;  // from 0000-03-01
constexpr std::int64_t kDaySeconds = 86400;

/// Days from 1970-01-01 to a date. Years begin in March here, so that the leap day is a year's
/// last.
std::int64_t days_since_1970(std::int32_t year, std::int32_t month, std::int32_t day) {
  const std::int32_t shifted = month <= 2 ? year - 1 : year;
  const std::int32_t from_march = month > 2 ? month - 3 : month + 9;
  const std::int32_t day_of_year = (153 * from_march + 2) / 5 + day - 1;
  const std::int32_t leap_days = shifted / 4 - shifted / 100 + shifted / 400;
  return std::int64_t{shifted} * 365 + leap_days + day_of_year - kDaysTo1970;
}

}  // namespace

DateTime date_time_of(std::int64_t unix_seconds) {
  std::int64_t days = unix_seconds / kDaySeconds;
  auto rest = static_cast<std::int32_t>(unix_seconds % kDaySeconds);
  if (rest < 0) {
    rest += static_cast<std::int32_t>(kDaySeconds);
    --days;
  }
  DateTime moment;
  moment.hour = static_cast<std::uint8_t>(rest / 3600);
  moment.minute = static_cast<std::uint8_t>(rest / 60 % 60);
  moment.second = static_cast<std::uint8_t>(rest % 60);
  moment.weekday = static_cast<std::uint8_t>(((days + 4) % 7 + 7) % 7);  // 1970 began on Thursday
  // Within a period of 400 years, all of which are alike.
  constexpr std::int32_t kPeriod = 146097;
  const auto from_march = static_cast<std::int32_t>(days + kDaysTo1970);
  const std::int32_t period = from_march / kPeriod;
  const std::int32_t day_of_period = from_march % kPeriod;
  const std::int32_t year_of_period = (day_of_period - day_of_period / 1460 +
                                       day_of_period / 36524 - day_of_period / (kPeriod - 1)) /
                                      365;
  const std::int32_t day_of_year =
      day_of_period - (365 * year_of_period + year_of_period / 4 - year_of_period / 100);
  const std::int32_t month_from_march = (5 * day_of_year + 2) / 153;
  moment.day = static_cast<std::uint8_t>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  moment.month = static_cast<std::uint8_t>(month_from_march < 10 ? month_from_march + 3
                                                                 : month_from_march - 9);
  moment.year = year_of_period + period * 400 + (moment.month <= 2 ? 1 : 0);
  return moment;
}

std::int64_t unix_seconds_of(const DateTime& moment) {
  const bool in_range = moment.year >= 1970 && moment.year <= 9999 && moment.month >= 1 &&
                        moment.month <= 12 && moment.day >= 1 && moment.day <= 31 &&
                        moment.hour < 24 && moment.minute < 60 && moment.second < 60;
  if (!in_range) return -1;
  const std::int64_t seconds =
      days_since_1970(moment.year, moment.month, moment.day) * kDaySeconds + moment.hour * 3600 +
      moment.minute * 60 + moment.second;
  // 31 February and the like are another day.
  return date_time_of(seconds).day == moment.day ? seconds : -1;
}

}  // namespace lobug
