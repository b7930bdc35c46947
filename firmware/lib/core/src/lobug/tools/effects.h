// What tools do to the hardware beyond sound and screen.
#pragma once

#include <cstdint>

namespace lobug {

class Effects {
 public:
  virtual ~Effects() = default;
  virtual bool has_led() const = 0;
  /// 0 to 255 each.
  virtual void set_led(std::uint8_t red, std::uint8_t green, std::uint8_t blue) = 0;
};

}  // namespace lobug
