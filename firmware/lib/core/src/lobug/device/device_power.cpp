// DeviceController's power and time of day.
#include <functional>

#include "lobug/device/device_controller.h"
#include "lobug/sentences.h"

namespace lobug {
namespace {

constexpr std::uint32_t kBatteryNoticeS = 20;
constexpr std::uint32_t kClockNoticeS = 30;

}  // namespace

/// Whether screen and radio are needed, whatever the owner does.
bool DeviceController::is_busy() const {
  if (self_test_.running()) return true;  // it counts what the screen draws
  switch (state()) {
    case DeviceState::kIdle:
    case DeviceState::kOffline:
    case DeviceState::kJoining:
    case DeviceState::kFinding:
    case DeviceState::kConnecting:
      // An alert is not spoken: it has to be read.
      return controls_.ringing() || !conversation_.caption().empty();
    default:
      return true;
  }
}

void DeviceController::step_power(Millis now) {
  PowerInputs inputs;
  inputs.busy = is_busy();
  inputs.battery = battery_;
  // A new notice wakes; one that stays does not keep awake.
  const std::size_t notice = std::hash<std::string_view>{}(view_.notice);
  const std::uint32_t taps = controls_.motion().taps;
  inputs.activity =
      touched_ || taps != knocks_ || (notice != notice_seen_ && !view_.notice.empty());
  touched_ = false;
  knocks_ = taps;
  notice_seen_ = notice;

  const PowerState before = power_.state();
  const PowerState state = power_.step(inputs, settings_.power, now);
  switch (power_.take_notice()) {
    case BatteryNotice::kNone:
      break;
    case BatteryNotice::kLow:
      controls_.say(Phrase::kBatteryLow, kBatteryNoticeS);
      break;
    case BatteryNotice::kEmpty:
      controls_.say(Phrase::kBatteryEmpty, 0);
      controls_.beep(2);
      break;
  }
  if (before == state) return;
  publish_at_.clear();  // a finger waits for the screen
  const bool called_off = before == PowerState::kFarewell && state != PowerState::kSwitchedOff;
  if (called_off && view_.notice == phrases_of(settings_.language)[Phrase::kBatteryEmpty]) {
    controls_.show_text({}, 0);  // somebody has plugged it in
  }
  if (state == PowerState::kSwitchedOff) {
    platform_.system.log(sentences::kSwitchingOff);
    controls_.save();
  }
}

// Discovery has answered.
void DeviceController::learn_time(Millis now) {
  const Discovery& discovery = enrolment_.discovery();
  const bool told = clock_.told(discovery.server_time_ms, discovery.utc_offset_min,
                                enrolment_.url().endpoint.tls);
  if (told) controls_.clock_set();
  if (enrolment_.take_clock_was_wrong()) {
    platform_.system.log(sentences::kClockMoved);
    controls_.say(Phrase::kClockWasWrong, kClockNoticeS);
  }
  publish_at_.set(now, 0);
}

void DeviceController::publish_power() {
  view_.power = power_.state();
  view_.backlight = power_.backlight(settings_.brightness);
  view_.radio_sleeps = power_.radio_sleeps();
}

void DeviceController::publish_time() {
  view_.clock = settings_.clock;
  const std::int64_t local = clock_.local_seconds();
  if (local == 0) {
    view_.minute_of_day = -1;
    view_.date = {};
    return;
  }
  const DateTime moment = date_time_of(local);
  view_.minute_of_day = static_cast<std::int16_t>(moment.hour * 60 + moment.minute);
  view_.date = {moment.weekday, moment.day, moment.month};
}

void DeviceController::publish_timers() {
  view_.ringing = controls_.ringing();
  view_.timers = 0;
  TimerState timer;
  for (std::size_t place = 0; controls_.find_timer(place, timer); ++place) {
    if (timer.left == 0) continue;  // it rings
    if (view_.timers == 0) {
      view_.timer_left_s = (timer.left + 999) / 1000;
      view_.timer_total_s = timer.total / 1000;
      view_.timer_label.assign(timer.label);
    }
    ++view_.timers;
  }
}

}  // namespace lobug
