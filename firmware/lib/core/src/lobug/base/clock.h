// Time is passed in everywhere: milliseconds since some beginning, which wrap after 49.7 days.
#pragma once

#include <cstdint>

namespace lobug {

using Millis = std::uint32_t;

/// Milliseconds from `since` to `now`, right across the wrap for spans under 24.8 days.
constexpr Millis elapsed(Millis since, Millis now) { return now - since; }

/// Something that is due at a moment, or not set.
class Deadline {
 public:
  void set(Millis now, Millis in_ms) {
    at_ = now + in_ms;
    set_ = true;
  }
  void clear() { set_ = false; }
  bool is_set() const { return set_; }
  /// True from that moment until it is set again or cleared.
  bool due(Millis now) const { return set_ && static_cast<std::int32_t>(now - at_) >= 0; }
  /// Milliseconds that are left; 0 when due or not set.
  Millis left(Millis now) const { return set_ && !due(now) ? at_ - now : 0; }

 private:
  Millis at_ = 0;
  bool set_ = false;
};

}  // namespace lobug
