// The simulated device's screen: the real pages and gestures, on pixels in memory.
#pragma once

#include <string>
#include <vector>

#include "lobug/base/clock.h"
#include "lobug/ui/ui.h"

namespace lobug::sim {

/// Used by the screen's thread.
class HostScreen {
 public:
  /// `glyphs`: nullptr: it has no pictures but those of its fonts.
  HostScreen(Random& random, Queue<Input, 16>& inputs, const PushedGlyphs* glyphs,
             bool buttons_below);
  /// A finger comes down there and is lifted after `ms`.
  void press(std::int16_t x, std::int16_t y, std::uint32_t ms, Millis now);
  /// A round; draws as often as the device does. Returns whether it has drawn.
  bool step(const View& view, const Motion& motion, std::uint8_t level, Millis now);
  /// What is to be seen now, black when the light is off, as PPM; false when the file cannot be
  /// written.
  bool write(const std::string& file) const;

 private:
  std::vector<Colour> pixels_;
  Canvas canvas_;
  Damage damage_;
  Ui ui_;
  Touch touch_;
  Deadline lifted_;
  bool lit_ = true;
};

}  // namespace lobug::sim
