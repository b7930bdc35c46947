#include "lobug/device/power.h"

namespace lobug {
namespace {

constexpr std::uint8_t kDimmed = 4;  // a quarter of the owner's brightness

/// Whether the supply lasts: nothing is known of a battery, or there is another supply.
bool is_powered(const BatteryReading& battery) {
  return !battery.known || battery.powered || battery.charging;
}

/// A deadline that is set as long as something lasts.
void keep(Deadline& deadline, bool lasts, Millis now, Millis in_ms) {
  if (!lasts) {
    deadline.clear();
  } else if (!deadline.is_set()) {
    deadline.set(now, in_ms);
  }
}

}  // namespace

std::string_view name_of(PowerState state) {
  switch (state) {
    case PowerState::kAwake:
      return "awake";
    case PowerState::kDim:
      return "dim";
    case PowerState::kDark:
      return "dark";
    case PowerState::kFarewell:
      return "farewell";
    case PowerState::kSwitchedOff:
      return "switched_off";
  }
  return "";
}

bool is_believable_level(std::int32_t percent, std::int32_t millivolts) {
  // A lithium cell has 3.5 V or less by the time that it is empty.
  constexpr std::int32_t kSurelyMore = 3650;
  if (percent < 0 || percent > 100) return false;
  return percent > PowerControl::kLowPercent || millivolts < kSurelyMore;
}

PowerState PowerControl::step(const PowerInputs& inputs, const PowerSettings& settings,
                              Millis now) {
  if (state_ == PowerState::kSwitchedOff) return state_;
  const bool powered = is_powered(inputs.battery);
  if (!begun_) {
    begun_ = true;
    powered_ = powered;
    counted_at_ = now;
  }
  watch_battery(inputs.battery, now);
  PowerInputs felt = inputs;
  // A plug that goes in or out is something that somebody does.
  felt.activity = inputs.activity || powered != powered_;
  powered_ = powered;
  count_quiet(felt, now);
  state_ = next(felt, settings, now);
  radio_sleeps_ = !powered && !inputs.busy && quiet_s_ >= kRadioQuietS &&
                  state_ != PowerState::kFarewell && state_ != PowerState::kSwitchedOff;
  return state_;
}

void PowerControl::watch_battery(const BatteryReading& battery, Millis now) {
  const bool draining = !is_powered(battery);
  draining_ = draining;
  keep(low_at_, draining && battery.percent <= kLowPercent, now, kSettleMs);
  keep(empty_at_, draining && battery.percent <= kEmptyPercent, now, kSettleMs);
  if (battery.known && battery.percent >= kLowAgainPercent) low_told_ = false;
  if (switch_off_at_.is_set()) {
    if (draining && battery.percent < kEmptyAgainPercent) return;
    switch_off_at_.clear();
    switch_off_latest_.clear();
    return;
  }
  if (empty_at_.due(now)) {
    notice_ = BatteryNotice::kEmpty;
    low_told_ = true;
    switch_off_at_.set(now, kFarewellMs);
    switch_off_latest_.set(now, kLongestFarewellMs);
  } else if (low_at_.due(now) && !low_told_) {
    notice_ = BatteryNotice::kLow;
    low_told_ = true;
  }
}

void PowerControl::count_quiet(const PowerInputs& inputs, Millis now) {
  if (inputs.activity || inputs.busy) {
    quiet_s_ = 0;
    counted_at_ = now;
    return;
  }
  const Millis passed = elapsed(counted_at_, now) / 1000;
  counted_at_ += passed * 1000;
  quiet_s_ = quiet_s_ > 0xFFFFFFFFU - passed ? 0xFFFFFFFFU : quiet_s_ + passed;
}

PowerState PowerControl::next(const PowerInputs& inputs, const PowerSettings& settings,
                              Millis now) {
  if (switch_off_at_.is_set()) {
    const bool over = switch_off_at_.due(now) && (!inputs.busy || switch_off_latest_.due(now));
    return over ? PowerState::kSwitchedOff : PowerState::kFarewell;
  }
  const std::uint32_t off_after_s = powered_ ? settings.off_after_usb_s : settings.off_after_s;
  if (off_after_s > 0 && quiet_s_ >= off_after_s) return PowerState::kDark;
  if (settings.dim_after_s > 0 && quiet_s_ >= settings.dim_after_s) return PowerState::kDim;
  return PowerState::kAwake;
}

BatteryNotice PowerControl::take_notice() {
  const BatteryNotice notice = notice_;
  notice_ = BatteryNotice::kNone;
  return notice;
}

std::uint8_t PowerControl::backlight(std::uint8_t brightness) const {
  switch (state_) {
    case PowerState::kDark:
    case PowerState::kSwitchedOff:
      return 0;
    case PowerState::kDim:
      return brightness > kDimmed ? static_cast<std::uint8_t>(brightness / kDimmed)
                                  : std::uint8_t{1};
    default:
      return brightness;
  }
}

}  // namespace lobug
