// The way to the Wi-Fi, and to the setup page when that leads nowhere.
#include <functional>

#include "lobug/device/mind.h"

namespace lobug {

void Mind::take_settings(Millis now) {
  const Text<32> name = settings_.wifi_name;
  const Text<64> password = settings_.wifi_password;
  const Text<160> server = settings_.server;
  const std::size_t ca = std::hash<std::string_view>{}(settings_.ca);  // too long to keep two
  save_at_.clear();
  load_settings(platform_.store, settings_);
  audio_.volume = settings_.volume;
  if (connected_ && settings_.wifi_name == name.view() &&
      settings_.wifi_password == password.view() && settings_.server == server.view() &&
      std::hash<std::string_view>{}(settings_.ca) == ca) {
    return;  // nothing that concerns the way to the server
  }
  if (settings_.wifi_name != name.view() || settings_.wifi_password != password.view()) {
    wifi_served_ = false;
  }
  refusals_ = 0;
  tried_as_seen_ = false;
  setup_until_.clear();
  setup_why_ = Trouble::kNone;
  if (settings_.wifi_name.empty()) {
    missing_until_.clear();
    if (!name.empty()) offline(Trouble::kNone, 0, now);
    go(DeviceState::kSetup);
    return;
  }
  offline(Trouble::kNone, 0, now);
  failures_ = kTriesWithOneAddress;  // the address may be another now
  if (!wifi_) join(now);
}

void Mind::join(Millis now) {
  setup_until_.clear();
  setup_why_ = Trouble::kNone;
  go(DeviceState::kJoining);
  join_until_.set(now, kJoinMs);
  if (!wifi_served_) missing_until_.set(now, kMissingMs);
}

void Mind::wifi_up(Millis now) {
  wifi_ = true;
  wifi_served_ = true;
  missing_until_.clear();
  refusals_ = 0;
  tried_as_seen_ = false;
  if (state_ == DeviceState::kSetup && setup_until_.is_set()) join(now);
  if (state_ == DeviceState::kJoining || state_ == DeviceState::kOffline) find(now);
}

void Mind::wifi_down(bool password_refused, Millis now) {
  wifi_ = false;
  view_.address.clear();
  if (state_ == DeviceState::kSetup) return;
  if (!wifi_served_ && !missing_until_.is_set()) missing_until_.set(now, kMissingMs);
  if (password_refused) {
    this->password_refused(now);
  } else if (state_ != DeviceState::kJoining) {
    offline(Trouble::kNoWifi, 0, now);
  }
}

// Whoever has mistyped the password must be able to type it again. An access point that was busy,
// or a password that was changed, is waited for.
void Mind::password_refused(Millis now) {
  offline(Trouble::kWrongPassword, 0, now);
  if (wifi_served_ || ++refusals_ < kRefusals) return;
  set_up_again(Trouble::kWrongPassword, now);
}

// The setup page besides what is stored, which is tried again later.
void Mind::set_up_again(Trouble why, Millis now) {
  refusals_ = 0;
  missing_until_.clear();
  if (state_ != DeviceState::kOffline) offline(why, 0, now);
  setup_stays_ = kSetupStays;
  setup_until_.set(now, kSetupAgainMs);
  setup_why_ = why;
  go(DeviceState::kSetup);
  trouble_ = why;
}

// Where the password was refused its being there is no news; and what was tried for it in vain once
// is not only late.
void Mind::wifi_seen(Millis now) {
  if (state_ != DeviceState::kSetup || setup_why_ != Trouble::kNoWifi || tried_as_seen_) return;
  tried_as_seen_ = true;
  join(now);
}

// Nobody is thrown off the setup page while they type; a neighbour's phone that stays does not keep
// it open for ever.
void Mind::stay_in_setup(Millis now) {
  if (state_ != DeviceState::kSetup || !setup_until_.is_set() || setup_stays_ == 0) return;
  --setup_stays_;
  if (setup_until_.left(now) < kSetupStayMs) setup_until_.set(now, kSetupStayMs);
}

}  // namespace lobug
