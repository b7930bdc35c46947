// How much power the device spends now: screen, radio, frames; and what an empty battery leads to.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"

namespace lobug {

enum class PowerState : std::uint8_t {
  kAwake,
  kDim,          ///< nobody has done anything for a while: the screen is darker
  kDark,         ///< ... for longer: it is off; a touch, a knock or something new wakes it
  kFarewell,     ///< the battery is empty: it says so before it switches itself off
  kSwitchedOff,  ///< everything is stored; whoever drives the power chip switches off now
};

std::string_view name_of(PowerState state);

/// What the power chip says.
struct BatteryReading {
  bool known = false;        ///< false: the board cannot say, which is not the same as 0 %
  std::uint8_t percent = 0;  ///< 0 to 100, when known
  bool charging = false;
  bool powered = false;  ///< by USB or another supply
};

/// What a power chip's level is worth. Its gauge may say 0 before it has measured anything, and 0
/// is what an unanswered question on the bus gives. `millivolts`: of the battery, 0: not measured.
bool is_believable_level(std::int32_t percent, std::int32_t millivolts);

/// The owner's settings. Seconds; 0: never.
struct PowerSettings {
  std::uint32_t dim_after_s = 60;
  std::uint32_t off_after_s = 300;    ///< on battery
  std::uint32_t off_after_usb_s = 0;  ///< while it is powered
};

/// What the machine is fed with.
struct PowerInputs {
  /// Somebody touched or knocked since the last step, or there is something new to see.
  bool activity = false;
  /// A conversation, a ring, setup, pairing, an update: the screen and the radio are needed.
  bool busy = false;
  BatteryReading battery;
};

enum class BatteryNotice : std::uint8_t { kNone, kLow, kEmpty };

/// Pure: time and inputs in, state out. A session stays open in every state, so that what the
/// server says or rings wakes the device.
class PowerControl {
 public:
  static constexpr std::uint8_t kLowPercent = 15;
  static constexpr std::uint8_t kLowAgainPercent = 20;  ///< from here on the notice is due again
  static constexpr std::uint8_t kEmptyPercent = 5;
  static constexpr std::uint8_t kEmptyAgainPercent = 8;  ///< a farewell is called off
  /// A level has to last: the voltage drops while the speaker is loud.
  static constexpr Millis kSettleMs = 20000;
  static constexpr Millis kFarewellMs = 10000;         ///< to read that it switches off
  static constexpr Millis kLongestFarewellMs = 60000;  ///< even in a conversation
  static constexpr std::uint32_t kRadioQuietS = 5;     ///< then the radio may sleep

  PowerState step(const PowerInputs& inputs, const PowerSettings& settings, Millis now);
  PowerState state() const { return state_; }
  /// What is to be said about the battery: each once, then kNone.
  BatteryNotice take_notice();
  /// The battery is low and not being charged; until it is plugged in, and has got a little.
  bool is_low() const { return draining_ && low_told_; }
  /// Whether the radio may sleep between beacons: on battery, while nobody needs it.
  bool radio_sleeps() const { return radio_sleeps_; }
  /// Percent of the screen's light, where the owner has set `brightness`; 0: off.
  std::uint8_t backlight(std::uint8_t brightness) const;

 private:
  void watch_battery(const BatteryReading& battery, Millis now);
  void count_quiet(const PowerInputs& inputs, Millis now);
  PowerState next(const PowerInputs& inputs, const PowerSettings& settings, Millis now);

  PowerState state_ = PowerState::kAwake;
  BatteryNotice notice_ = BatteryNotice::kNone;
  bool begun_ = false;
  bool powered_ = false;
  bool low_told_ = false;
  bool draining_ = false;
  bool radio_sleeps_ = false;
  // Seconds, saturating, because the millisecond clock wraps while a device is dark.
  std::uint32_t quiet_s_ = 0;
  Millis counted_at_ = 0;
  Deadline low_at_;    ///< set while the level is low
  Deadline empty_at_;  ///< set while it is empty
  Deadline switch_off_at_;
  Deadline switch_off_latest_;
};

}  // namespace lobug
