#include "lobug/device/timer_store.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <string_view>

namespace lobug {
namespace {

constexpr std::size_t kMostText = 112;  // three numbers, and a label of 64 bytes

Text<15> key_of(std::size_t place) {
  Text<15> key("timer_");
  key.append(static_cast<char>('0' + place));
  return key;
}

/// Takes a decimal number and the space behind it off the beginning; false when there is none.
bool take_number(std::string_view& text, std::int64_t most, std::int64_t& number) {
  std::size_t digits = 0;
  number = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    number = number * 10 + (text[digits++] - '0');
    if (number > most) return false;
  }
  if (digits == 0 || digits == text.size() || text[digits] != ' ') return false;
  text.remove_prefix(digits + 1);
  return true;
}

bool read_timer(std::string_view text, StoredTimer& timer) {
  std::int64_t left_s = 0;
  std::int64_t total_s = 0;
  const bool good = take_number(text, 0xFFFFFFFF, timer.end) &&
                    take_number(text, ToolTimers::kLongestS, left_s) &&
                    take_number(text, ToolTimers::kLongestS, total_s);
  timer.left_s = static_cast<std::uint32_t>(left_s);
  timer.total_s = static_cast<std::uint32_t>(total_s);
  timer.label.assign(text);
  return good;
}

}  // namespace

Text<256> TimerStore::load(ToolTimers& timers, const Phrases& phrases, std::int64_t unix_seconds,
                           Millis now) {
  Text<256> missed;
  for (std::size_t place = 0; place < ToolTimers::kMost; ++place) {
    std::array<char, kMostText> text{};
    const Text<15> key = key_of(place);
    const int size = store_.get(key, Span<char>(text.data(), text.size()));
    if (size < 0) continue;
    StoredTimer timer;
    if (!read_timer({text.data(), static_cast<std::size_t>(size)}, timer)) {
      (void)store_.erase(key);
      continue;
    }
    if (timers.restore(place, timer, unix_seconds, now) == ToolTimers::Restored::kRuns) continue;
    if (!missed.empty()) missed.append(", ");
    missed.append(timer.label.empty() ? phrases[Phrase::kUnnamedTimer] : timer.label.view());
  }
  return missed;
}

bool TimerStore::save(ToolTimers& timers, std::int64_t unix_seconds, Millis now) {
  if (unix_seconds != 0 || !timers.in_use()) {
    again_at_.clear();
  } else if (!again_at_.is_set() || again_at_.due(now)) {
    again_at_.set(now, kWithoutClockMs);
    timers.touch();
  }
  bool saved = true;
  for (std::size_t place = 0; place < ToolTimers::kMost; ++place) {
    if (!timers.take_change(place)) continue;
    const Text<15> key = key_of(place);
    StoredTimer timer;
    if (!timers.stored(place, unix_seconds, now, timer)) {
      std::array<char, kMostText> there{};
      if (store_.get(key, Span<char>(there.data(), there.size())) < 0) continue;
      saved = store_.erase(key) && saved;
      continue;
    }
    std::array<char, kMostText> text{};
    std::snprintf(text.data(), text.size(), "%" PRIu32 " %" PRIu32 " %" PRIu32 " %s",
                  static_cast<std::uint32_t>(timer.end), timer.left_s, timer.total_s,
                  timer.label.c_str());
    saved = store_.put(key, text.data()) && saved;
  }
  return saved;
}

}  // namespace lobug
