// M5Stack's StackChan: what its base has on the I2C bus. An expander of pins with the supply of the
// servos and twelve lights, and a touch sensor on the head.
#pragma once

#include <cstdint>

#include "lobug/ports/system.h"

namespace lobug {

/// All by the device's task, but for `begin`. Does nothing where there is no base.
class StackChanBase {
 public:
  /// After M5.begin: looks for it, for up to half a second on a board that may have one.
  void begin();
  bool found() const { return found_; }
  void supply_servos(bool on) const;
  /// As BodyPort::head_touch.
  std::uint8_t head_touch() const;
  /// The twelve lights share the colours, as if they were ten.
  void show_lights(const LedColors& colors) const;

 private:
  bool found_ = false;
};

}  // namespace lobug
