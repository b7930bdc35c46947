// The device's own short tone: a timer is over, a tool asked for a beep.
#pragma once

#include <cstdint>

#include "lobug/audio/format.h"
#include "lobug/base/span.h"

namespace lobug {

/// Synthesised, faded in and out so that it does not click. Allocates nothing.
class Beep {
 public:
  /// Adds `times` tones.
  void add(std::uint8_t times);
  /// True until the last tone's last sample was mixed.
  bool sounding() const { return times_ > 0; }
  /// Add the next samples of the tones to what is in `samples`, without running over.
  void mix(Span<std::int16_t> samples);

 private:
  std::uint32_t times_ = 0;
  std::uint32_t position_ = 0;  // samples since the current tone began, its pause included
  // The oscillator's last two values; a multiplication a sample is all that it costs.
  float last_ = 0.0F;
  float before_ = 0.0F;
};

}  // namespace lobug
