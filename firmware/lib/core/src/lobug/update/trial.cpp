#include "lobug/update/updater.h"

namespace lobug {

void Trial::begin(Millis now) {
  running_ = slot_.on_trial();
  began_ = now;
  last_ = now;
  with_wifi_ms_ = 0;
  had_wifi_ = false;
}

void Trial::reached_server() {
  if (!running_) return;
  running_ = false;
  slot_.confirm();
}

void Trial::step(Millis now, bool wifi) {
  if (!running_) return;
  if (had_wifi_) with_wifi_ms_ += elapsed(last_, now);
  last_ = now;
  had_wifi_ = wifi;
  if (with_wifi_ms_ < limit_ms_ && elapsed(began_, now) < kMostTrialMs) return;
  running_ = false;  // on the host `roll_back` returns
  slot_.roll_back();
}

}  // namespace lobug
