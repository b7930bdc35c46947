// What tools do to the device, and what it feels and tells of itself.
#include "lobug/device/mind.h"

namespace lobug {

void Mind::set_volume(std::uint8_t percent) {
  settings_.volume = percent > 100 ? 100 : percent;
  audio_.volume = settings_.volume;
  save_later(now_);
}

void Mind::set_brightness(std::uint8_t percent) {
  // A dark screen would leave nothing to set it with.
  settings_.brightness = percent > 100 ? 100 : percent < 1 ? 1 : percent;
  save_later(now_);
}

// The reply that tells of it brings a face of its own, which must not take this one away.
void Mind::show_emotion(Emotion emotion) {
  posed_ = emotion;
  posing_until_.set(now_, kPoseMs);
}

void Mind::show_text(std::string_view text, std::uint32_t seconds) {
  view_.notice.assign(text);
  if (seconds > 0) {
    notice_until_.set(now_, seconds * 1000U);
  } else {
    notice_until_.clear();
  }
}

void Mind::dismiss_notice() {
  timers_.acknowledge();
  notice_until_.clear();
  view_.notice.clear();
}

bool Mind::start_timer(std::uint32_t seconds, std::string_view label) {
  return timers_.start(seconds, label, now_);
}

std::size_t Mind::cancel_timers(std::string_view label) {
  const bool rang = timers_.ringing();
  const std::size_t count = timers_.cancel(label);
  if (rang && !timers_.ringing()) dismiss_notice();
  return count;
}

bool Mind::find_timer(std::size_t place, TimerState& into) const {
  return timers_.find(place, now_, into);
}

void Mind::beep(std::uint8_t times) { audio_.beeps = times; }

void Mind::ring_timers(Millis now) {
  if (notice_until_.due(now)) show_text({}, 0);  // nobody has noticed: what rings goes on
  if (!timers_.step(now)) return;
  beep(3);
  show_text(timers_.words(), 60);
}

void Mind::report_sensors(Millis now) {
  if (http_use_ == HttpUse::kSensors) {
    if (http_.step(now) != HttpClient::State::kBusy) http_use_ = HttpUse::kNone;
    return;
  }
  // A TLS handshake computes for most of a second, on this thread: none within a conversation, and
  // none for each change.
  const bool tls = enrolment_.url().endpoint.tls;
  if (tls && conversation_.state() != DeviceState::kIdle) return;
  const Millis least = tls ? SensorReporter::kEveryMs : SensorReporter::kLeastMs;
  if (low_memory_ || http_use_ != HttpUse::kNone || checking_) return;
  if (!reporter_.due(motion_, now, least)) return;
  const std::size_t length = write_sensors(Span<char>(sensors_.data(), sensors_.size()), motion_,
                                           reporter_.tapped(motion_));
  const Text<300> path = path_at(enrolment_.url(), "/context/sensors");
  const Introduction who = introduction();
  HttpRequest request;
  request.method = "POST";
  request.path = path;
  request.token = token();
  request.device_id = who.device_id;
  request.client_id = who.client_id;
  request.user_agent = who.board;
  request.body = std::string_view(sensors_.data(), length);
  if (!path.empty() && length > 0 &&
      http_.start(enrolment_.url().endpoint, request, now, Enrolment::kRequestMs)) {
    http_use_ = HttpUse::kSensors;
  }
  reporter_.sent(motion_, now);
}

}  // namespace lobug
