#include "lobug/device/tool_timers.h"

#include "lobug/net/http_syntax.h"
#include "lobug/sentences.h"

namespace lobug {

bool ToolTimers::start(std::uint32_t seconds, std::string_view label, Millis now) {
  for (Timer& timer : timers_) {
    if (timer.in_use()) continue;
    timer.at.set(now, seconds * 1000U);
    timer.label.assign(label);
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
    into = TimerState{timer.label.view(), left};
    return true;
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
  for (Timer& timer : timers_) timer.rings = false;
}

Text<256> ToolTimers::words() const {
  Text<256> words;
  bool named = false;
  for (const Timer& timer : timers_) {
    if (!timer.rings) continue;
    if (!words.empty()) words.append(", ");
    words.append(timer.label.empty() ? sentences::kUnnamedTimer : timer.label.view());
    named = named || !timer.label.empty();
  }
  if (ringing() && !named) words.assign(sentences::kTimeIsUp);
  return words;
}

}  // namespace lobug
