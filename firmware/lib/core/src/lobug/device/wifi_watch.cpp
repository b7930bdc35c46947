#include "lobug/device/wifi_watch.h"

namespace lobug {

void WifiWatch::join(Millis now) {
  setup_until_.clear();
  setup_why_ = Trouble::kNone;
  join_until_.set(now, kJoinMs);
  if (!was_up_) missing_until_.set(now, kMissingMs);
}

void WifiWatch::went_up() {
  if (!up_ && ever_up_) ++reconnects_;
  up_ = was_up_ = ever_up_ = true;
  missing_until_.clear();
  refusals_ = 0;
  tried_as_seen_ = false;
}

void WifiWatch::went_down(bool in_setup, Millis now) {
  up_ = false;
  if (!in_setup && !was_up_ && !missing_until_.is_set()) missing_until_.set(now, kMissingMs);
}

// Only a mistyped password opens the setup page. A busy access point, or a password that was
// changed while the device was on, is waited for.
bool WifiWatch::password_refused() { return !was_up_ && ++refusals_ >= kRefusals; }

void WifiWatch::settings_changed(bool same) {
  if (!same) was_up_ = false;
  refusals_ = 0;
  tried_as_seen_ = false;
  setup_until_.clear();
  setup_why_ = Trouble::kNone;
}

void WifiWatch::setup_opened(Trouble why, Millis now) {
  refusals_ = 0;
  missing_until_.clear();
  setup_stays_ = kSetupStays;
  setup_until_.set(now, kSetupMs);
  setup_why_ = why;
}

bool WifiWatch::seen_in_setup() {
  if (setup_why_ != Trouble::kNoWifi || tried_as_seen_) return false;
  tried_as_seen_ = true;
  return true;
}

void WifiWatch::guest_in_setup(Millis now) {
  if (!setup_until_.is_set() || setup_stays_ == 0) return;
  --setup_stays_;
  if (setup_until_.left(now) < kSetupGuestMs) setup_until_.set(now, kSetupGuestMs);
}

}  // namespace lobug
