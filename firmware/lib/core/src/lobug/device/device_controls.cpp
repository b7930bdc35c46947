#include "lobug/device/device_controls.h"

#include "lobug/language/wording.h"
#include "lobug/sentences.h"

namespace lobug {

DeviceControls::DeviceControls(const Platform& platform, AudioLink& audio, Settings& settings,
                               View& view, const WallClock& clock)
    : platform_(platform),
      audio_(audio),
      settings_(settings),
      view_(view),
      clock_(clock),
      timer_store_(platform.store),
      body_(platform.body, platform.random) {}

void DeviceControls::restore_timers(Millis now) {
  now_ = now;
  missed_ = timer_store_.load(timers_, phrases_of(settings_.language), clock_.unix_seconds(), now);
}

void DeviceControls::show_missed() {
  const Phrases& phrases = phrases_of(settings_.language);
  const Text<320> text = filled<320>(phrases[Phrase::kMissedTimersFormat], {missed_});
  missed_.clear();
  show_text(text, 0);  // until somebody has read it
}

void DeviceControls::clock_set() { timers_.clock_set(clock_.unix_seconds(), now_); }

void DeviceControls::update(const Motion& motion, Millis now) {
  motion_ = body_.felt(motion, now);
  now_ = now;
  if (pose_until_.due(now)) pose_until_.clear();
}

void DeviceControls::step(DeviceState state, std::uint8_t backlight) {
  if (notice_until_.due(now_)) show_text({}, 0);  // nobody has seen it: timers go on ringing
  if (timers_.step(now_)) {
    beep(3);
    show_text(timers_.words(phrases_of(settings_.language)), 60);
  }
  if (!missed_.empty() && !has_notice()) show_missed();
  if (save_at_.due(now_)) save_levels();
  save_timers();
  light_.step(platform_.effects, has_light(), state, backlight, now_);
}

void DeviceControls::step_body(const BodyInputs& inputs) {
  body_.use(settings_.body, settings_.calibration);
  const bool silent = view_.body.silent;
  body_.step(inputs, now_);
  view_.body = body_.view(now_);
  if (view_.body.silent && !silent) platform_.system.log(sentences::kServosSilent);
}

bool DeviceControls::take_petting() {
  const bool petted = body_.take_petting();
  if (petted) show_emotion(Emotion::kLoving);
  return petted;
}

void DeviceControls::add_offset(Axis axis, std::int32_t degrees) {
  Attitude& offset = settings_.calibration.offset;
  std::int16_t& angle = axis == Axis::kYaw ? offset.yaw : offset.pitch;
  const std::int32_t sum = angle + degrees * 10;
  if (sum < -kMostOffset || sum > kMostOffset) return;
  angle = static_cast<std::int16_t>(sum);
  body_.begin_calibration(now_);  // its minute begins anew
  save_later();
}

void DeviceControls::calibrate(bool begin) {
  if (begin) {
    body_.begin_calibration(now_);
  } else {
    body_.end_calibration();
  }
}

void DeviceControls::set_volume(std::uint8_t percent) {
  settings_.volume = percent > 100 ? 100 : percent;
  audio_.volume = settings_.volume;
  save_later();
}

void DeviceControls::set_brightness(std::uint8_t percent) {
  // On a dark screen nobody could make it brighter again.
  settings_.brightness = percent > 100 ? 100 : percent < 1 ? 1 : percent;
  save_later();
}

void DeviceControls::set_talk_mode(std::int32_t mode) {
  if (mode < 0 || mode > static_cast<std::int32_t>(TalkMode::kWakeWord)) return;
  settings_.talk_mode = static_cast<TalkMode>(mode);
  save_later();
}

void DeviceControls::set_language(std::int32_t language) {
  if (language < 0 || language >= kLanguageCount) return;
  settings_.language = static_cast<Language>(language);
  save_later();
}

void DeviceControls::set_captions(bool shown) {
  settings_.captions = shown;
  save_later();
}

// The reply that mentions it has an emotion of its own, which must not replace this one.
void DeviceControls::show_emotion(Emotion emotion) {
  pose_ = emotion;
  pose_until_.set(now_, kPoseMs);
}

void DeviceControls::show_text(std::string_view text, std::uint32_t seconds) {
  view_.notice.assign(text);
  if (seconds > 0) {
    notice_until_.set(now_, seconds * 1000U);
  } else {
    notice_until_.clear();
  }
}

void DeviceControls::dismiss_notice() {
  timers_.acknowledge();
  notice_until_.clear();
  view_.notice.clear();
}

bool DeviceControls::start_timer(std::uint32_t seconds, std::string_view label) {
  return timers_.start(seconds, label, now_);
}

std::size_t DeviceControls::cancel_timers(std::string_view label) {
  const bool rang = timers_.ringing();
  const std::size_t count = timers_.cancel(label);
  if (rang && !timers_.ringing()) dismiss_notice();
  return count;
}

bool DeviceControls::find_timer(std::size_t place, TimerState& into) const {
  return timers_.find(place, now_, into);
}

void DeviceControls::beep(std::uint8_t times) { audio_.beeps = times; }

// One by one, because the owner may just have stored another Wi-Fi on another thread.
void DeviceControls::save_levels() {
  if (!save_at_.is_set()) return;
  save_at_.clear();
  for (const std::string_view name : {"talk_mode", "volume", "brightness", "captions", "language",
                                      "yaw_offset", "pitch_offset"}) {
    if (!save_setting(platform_.store, settings_, name)) {
      platform_.system.log(sentences::kSettingsNotSaved);
      return;
    }
  }
}

void DeviceControls::save_timers() {
  if (timer_store_.save(timers_, clock_.unix_seconds(), now_)) return;
  platform_.system.log(sentences::kTimersNotSaved);
}

void DeviceControls::save() {
  save_levels();
  timers_.touch();
  save_timers();
}

}  // namespace lobug
