// What the lights of an M5GO bottom show: what the device is doing, or the colour that was asked
// for.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/device/state_machine.h"
#include "lobug/ports/system.h"

namespace lobug {

/// What the lights show of a state that has lasted for `age`: they breathe, or a point of light
/// goes round. At full brightness.
LedColors light_pattern(DeviceState state, Millis age);

/// Decides what the lights show and sends it when it changes.
class Light {
 public:
  static constexpr Millis kStepMs = 50;     ///< breathing looks smooth
  static constexpr Millis kRestMs = 60000;  ///< when nobody talks for so long the lights go out
  /// The most of each colour of a light, of 255, on a screen of full brightness. Ten white lights
  /// take about 100 mA then (20 mA each colour at 255, as SK6812's datasheet says).
  static constexpr std::uint8_t kMost = 40;

  /// All lights keep this colour until another is set or `show_state`.
  void set_color(LedColor color) {
    color_ = color;
    has_color_ = true;
  }
  /// The lights show again what the device is doing.
  void show_state() { has_color_ = false; }

  /// To be called at every step. `on`: lights are attached; once they are not, they are switched
  /// off and left alone. They are as bright as the screen, whose `brightness` is in percent; with
  /// 0 they go dark at once, because the device may be about to switch itself off.
  void step(Effects& effects, bool on, DeviceState state, std::uint8_t brightness, Millis now);

 private:
  LedColors colors(std::uint8_t brightness, Millis now) const;

  LedColor color_;
  bool has_color_ = false;
  DeviceState state_ = DeviceState::kStarting;
  Millis since_ = 0;      ///< when the state began
  bool resting_ = false;  ///< the state has lasted for kRestMs; `since_` may have wrapped
  bool sent_ = false;     ///< something was sent since the lights are attached
  LedColors shown_{};
  Deadline next_;
};

}  // namespace lobug
