// What tools and fingers change on the device: levels, expression, notice, timers, light, body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/audio/audio_link.h"
#include "lobug/base/clock.h"
#include "lobug/body/body.h"
#include "lobug/device/device.h"
#include "lobug/device/light.h"
#include "lobug/device/timer_store.h"
#include "lobug/device/tool_timers.h"
#include "lobug/device/wall_clock.h"
#include "lobug/setup/settings.h"
#include "lobug/tools/tools.h"

namespace lobug {

class DeviceControls final : public ToolHost {
 public:
  static constexpr Millis kPoseMs = 10000;  ///< an expression that a tool asked for stays
  static constexpr Millis kSaveMs = 2000;   ///< levels are stored when they rest for so long

  /// The notice is written to `view`; levels to `settings` and, later, to the platform's store.
  DeviceControls(const Platform& platform, AudioLink& audio, Settings& settings, View& view,
                 const WallClock& clock);

  /// At the start, once the clock has begun: goes on with the stored timers, and shows which ended
  /// long ago.
  void restore_timers(Millis now);

  /// To be called at the beginning of each step: the present time and what the sensors feel.
  void update(const Motion& motion, Millis now);
  /// Rings timers, takes away a notice whose time is over, stores levels, lets the light show
  /// `state` or the colour that a tool has set, as bright as the screen: `backlight` is its percent
  /// now, 0 when it is off.
  void step(DeviceState state, std::uint8_t backlight);

  /// The body goes on with its life.
  void step_body(const BodyInputs& inputs);
  /// Somebody has stroked its head since this was asked last: it likes that.
  bool take_petting();
  void add_offset(Axis axis, std::int32_t degrees);
  void calibrate(bool begin);
  void set_talk_mode(std::int32_t mode);
  void set_captions(bool shown);
  void set_language(std::int32_t language);
  /// Shows a phrase in the owner's language, as `show_text` does.
  void say(Phrase phrase, std::uint32_t seconds) {
    show_text(phrases_of(settings_.language)[phrase], seconds);
  }
  bool has_notice() const { return !view_.notice.empty(); }
  /// The owner has seen the notice: timers stop ringing.
  void dismiss_notice();
  /// The emotion that a tool asked for; `otherwise` when none did lately.
  Emotion emotion(Emotion otherwise) const { return is_posing() ? pose_ : otherwise; }
  bool is_posing() const { return pose_until_.is_set(); }
  void stop_posing() { pose_until_.clear(); }
  /// Whether a timer runs or rings.
  bool has_timers() const { return timers_.in_use(); }
  bool ringing() const { return timers_.ringing(); }
  /// The time has become known, or another.
  void clock_set();
  /// Stores all that is not stored yet, before the device goes off: levels, and what is left of
  /// the timers.
  void save();
  /// Other settings were stored: levels that are not stored yet are dropped.
  void discard_unsaved() { save_at_.clear(); }

  // ToolHost
  void set_volume(std::uint8_t percent) override;
  void set_brightness(std::uint8_t percent) override;
  void show_emotion(Emotion emotion) override;
  void show_text(std::string_view text, std::uint32_t seconds) override;
  bool start_timer(std::uint32_t seconds, std::string_view label) override;
  std::size_t cancel_timers(std::string_view label) override;
  bool find_timer(std::size_t place, TimerState& into) const override;
  void beep(std::uint8_t times) override;
  const View& view() const override { return view_; }
  const Motion& motion() const override { return motion_; }
  bool has_light() const override {
    return settings_.light == LightKind::kAuto
               ? platform_.effects.finds_led()
               : settings_.light == LightKind::kM5go && platform_.effects.has_led();
  }
  void set_light(LedColor color) override { light_.set_color(color); }
  void free_light() override { light_.show_state(); }
  bool has_body() const override { return body_.exists(); }
  std::string_view look(int yaw, int pitch) override { return body_.look(yaw, pitch, now_); }
  std::string_view perform(Deed deed, std::uint8_t times) override {
    return body_.perform(deed, times);
  }

 private:
  void save_later() { save_at_.set(now_, kSaveMs); }
  void save_levels();
  void show_missed();
  void save_timers();

  const Platform& platform_;
  AudioLink& audio_;
  Settings& settings_;
  View& view_;
  const WallClock& clock_;
  Motion motion_;
  Millis now_ = 0;
  ToolTimers timers_;
  TimerStore timer_store_;
  Text<256> missed_;  ///< timers that ended while it was off, not shown yet
  Light light_;
  Body body_;
  Emotion pose_ = Emotion::kNeutral;
  Deadline pose_until_;
  Deadline notice_until_;
  Deadline save_at_;
};

}  // namespace lobug
