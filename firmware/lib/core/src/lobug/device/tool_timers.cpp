#include "lobug/device/tool_timers.h"

#include <array>
#include <cstdio>

#include "lobug/language/wording.h"
#include "lobug/net/http_syntax.h"

namespace lobug {

bool ToolTimers::start(std::uint32_t seconds, std::string_view label, Millis now) {
  for (Timer& timer : timers_) {
    if (timer.in_use()) continue;
    timer = Timer();
    timer.total = seconds * 1000U;
    timer.at.set(now, timer.total);
    timer.label.assign(label);
    timer.changed = true;
    return true;
  }
  return false;
}

std::size_t ToolTimers::cancel(std::string_view label) {
  const Label wanted(label);  // as much of it as was kept of the timer's
  std::size_t count = 0;
  bool rings = false;
  for (Timer& timer : timers_) {
    // A chat model writes "Tea" one time and "tea" the next.
    if (timer.in_use() && (wanted.empty() || same_ignoring_case(timer.label, wanted))) {
      timer.at.clear();
      timer.rings = false;
      timer.changed = true;
      ++count;
    }
    rings = rings || timer.rings;
  }
  if (!rings) acknowledge();
  return count;
}

bool ToolTimers::find(std::size_t place, Millis now, TimerState& into) const {
  for (const Timer& timer : timers_) {
    if (!timer.in_use()) continue;
    const Millis left = timer.at.left(now);
    // Its own place: the number of timers that end before it, or with it and come first here.
    std::size_t own = 0;
    for (const Timer& other : timers_) {
      if (!other.in_use() || &other == &timer) continue;
      const Millis others = other.at.left(now);
      if (others < left || (others == left && &other < &timer)) ++own;
    }
    if (own != place) continue;
    into = TimerState{timer.label.view(), left, timer.total};
    return true;
  }
  return false;
}

bool ToolTimers::in_use() const {
  for (const Timer& timer : timers_) {
    if (timer.in_use()) return true;
  }
  return false;
}

bool ToolTimers::step(Millis now) {
  bool over = false;
  for (Timer& timer : timers_) {
    if (!timer.at.due(now)) continue;
    timer.at.clear();
    timer.rings = true;
    over = true;
  }
  if (over) silent_at_.set(now, kRingMs);
  if (silent_at_.due(now)) acknowledge();
  if (!over && !again_.due(now)) return false;
  again_.set(now, kSignalMs);
  return true;
}

void ToolTimers::acknowledge() {
  again_.clear();
  silent_at_.clear();
  for (Timer& timer : timers_) {
    if (timer.rings) timer.changed = true;
    timer.rings = false;
  }
}

Text<256> ToolTimers::words(const Phrases& phrases) const {
  Text<256> words;
  bool named = false;
  bool late = false;
  for (const Timer& timer : timers_) {
    if (!timer.rings) continue;
    if (!words.empty()) words.append(", ");
    words.append(timer.label.empty() ? phrases[Phrase::kUnnamedTimer] : timer.label.view());
    if (timer.late_min > 0) {
      words.append(filled<32>(phrases[Phrase::kLateFormat], {Number(timer.late_min)}));
    }
    named = named || !timer.label.empty();
    late = late || timer.late_min > 0;
  }
  if (ringing() && !named && !late) words.assign(phrases[Phrase::kTimeIsUp]);
  return words;
}

void ToolTimers::end_at(Timer& timer, std::int64_t end, std::int64_t unix_seconds, Millis now) {
  const std::int64_t left_s = end - unix_seconds;
  // It may have come from a clock that was wrong: never longer than any timer is.
  const std::int64_t most_s = timer.total / 1000;
  timer.end = 0;
  timer.late_min = 0;
  if (left_s > 0) {
    timer.at.set(now, static_cast<Millis>(left_s < most_s ? left_s : most_s) * 1000U);
  } else {
    timer.at.set(now, 0);  // the next step rings
    const std::int64_t late_min = -left_s / 60;
    timer.late_min = static_cast<std::uint16_t>(late_min < 0xFFFF ? late_min : 0xFFFF);
  }
  timer.changed = true;
}

ToolTimers::Restored ToolTimers::restore(std::size_t place, const StoredTimer& stored,
                                         std::int64_t unix_seconds, Millis now) {
  Timer& timer = timers_[place];
  timer = Timer();
  if (stored.end != 0 && unix_seconds != 0 && unix_seconds - stored.end > kStillRingsS) {
    timer.changed = true;
    return Restored::kMissed;
  }
  const std::uint32_t total_s = stored.total_s < kLongestS ? stored.total_s : kLongestS;
  const std::uint32_t left_s = stored.left_s < total_s ? stored.left_s : total_s;
  timer.total = total_s * 1000U;
  timer.label.assign(stored.label);
  if (stored.end != 0 && unix_seconds != 0) {
    end_at(timer, stored.end, unix_seconds, now);
  } else {
    timer.at.set(now, left_s * 1000U);
    timer.end = stored.end;
  }
  return Restored::kRuns;
}

void ToolTimers::clock_set(std::int64_t unix_seconds, Millis now) {
  for (Timer& timer : timers_) {
    if (!timer.at.is_set()) continue;
    if (timer.end != 0) end_at(timer, timer.end, unix_seconds, now);
    timer.changed = true;
  }
}

bool ToolTimers::take_change(std::size_t place) {
  const bool changed = timers_[place].changed;
  timers_[place].changed = false;
  return changed;
}

void ToolTimers::touch() {
  for (Timer& timer : timers_) timer.changed = timer.changed || timer.in_use();
}

bool ToolTimers::stored(std::size_t place, std::int64_t unix_seconds, Millis now,
                        StoredTimer& into) const {
  const Timer& timer = timers_[place];
  if (!timer.in_use()) return false;
  into.left_s = (timer.at.left(now) + 999) / 1000;
  into.total_s = timer.total / 1000;
  // One that waits for the clock keeps its own end: what is left of it is a guess.
  into.end = timer.end != 0 ? timer.end : unix_seconds != 0 ? unix_seconds + into.left_s : 0;
  into.label = timer.label;
  return true;
}

}  // namespace lobug
