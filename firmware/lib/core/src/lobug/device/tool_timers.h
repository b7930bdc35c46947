// Timers that a tool has started: they ring on the device, whether or not the server is there.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/text.h"

namespace lobug {

class ToolTimers {
 public:
  static constexpr std::size_t kMost = 8;
  using Label = Text<64>;

  /// False when all are in use.
  bool start(std::uint32_t seconds, std::string_view label, Millis now) {
    for (Timer& timer : timers_) {
      if (timer.at.is_set()) continue;
      timer.at.set(now, seconds * 1000U);
      timer.label.assign(label);
      return true;
    }
    return false;
  }
  /// The label of one that rings now, which is then over; nullptr when none does.
  const Label* ring(Millis now) {
    for (Timer& timer : timers_) {
      if (!timer.at.due(now)) continue;
      timer.at.clear();
      return &timer.label;
    }
    return nullptr;
  }

 private:
  struct Timer {
    Deadline at;
    Label label;
  };
  std::array<Timer, kMost> timers_{};
};

}  // namespace lobug
