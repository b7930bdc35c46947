#include "lobug/device/wall_clock.h"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace lobug {
namespace {

constexpr std::string_view kOffsetKey = "utc_offset";
constexpr std::int32_t kMostOffset = 14 * 60;  // Kiribati; the other way it is 12 h
constexpr std::int64_t kDaySeconds = 86400;

/// An optional sign and digits; `otherwise` for anything else.
std::int32_t whole(std::string_view text, std::int32_t otherwise) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > 4) return otherwise;
  std::int32_t number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return otherwise;
    number = number * 10 + (digit - '0');
  }
  return negative ? -number : number;
}

bool is_offset(std::int32_t minutes) { return minutes >= -kMostOffset && minutes <= kMostOffset; }

}  // namespace

void WallClock::begin() {
  std::array<char, 8> text{};
  const int size = store_.get(kOffsetKey, Span<char>(text.data(), text.size()));
  const std::int32_t offset =
      size > 0 ? whole({text.data(), static_cast<std::size_t>(size)}, 0) : 0;
  utc_offset_min_ = is_offset(offset) ? offset : 0;
  confirmed_ = false;
  // TLS reads the same clock and must not take rubbish for a time.
  if (!known()) system_.set_time(0);
}

std::int64_t WallClock::local_seconds() const {
  return known() ? unix_seconds() + std::int64_t{utc_offset_min_} * 60 : 0;
}

bool WallClock::told(std::int64_t unix_ms, std::int32_t utc_offset_min, bool verified) {
  if (!is_plausible_time(unix_ms / 1000)) return false;
  system_.set_time(unix_ms);
  if (verified) confirmed_ = true;
  if (is_offset(utc_offset_min) && utc_offset_min != utc_offset_min_) {
    utc_offset_min_ = utc_offset_min;
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "%" PRId32, utc_offset_min);
    // Not stored: the screen shows UTC after the next start, until the server is there.
    (void)store_.put(kOffsetKey, text.data());
  }
  return true;
}

bool WallClock::suggested(std::int64_t unix_seconds, bool& was_wrong) {
  was_wrong = false;
  if (!is_plausible_time(unix_seconds)) return false;
  const std::int64_t before = this->unix_seconds();
  const std::int64_t moved = before > unix_seconds ? before - unix_seconds : unix_seconds - before;
  was_wrong = before != 0 && moved > kDaySeconds;
  system_.set_time(unix_seconds * 1000);
  return true;
}

}  // namespace lobug
