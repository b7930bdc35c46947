// The inside of Device: reacts to inputs, Wi-Fi, session and time, and changes the state.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "lobug/device/conversation.h"
#include "lobug/device/device.h"
#include "lobug/device/device_controls.h"
#include "lobug/device/enrolment.h"
#include "lobug/device/firmware_update.h"
#include "lobug/device/health_reporter.h"
#include "lobug/device/identity.h"
#include "lobug/device/memory_watch.h"
#include "lobug/device/power.h"
#include "lobug/device/sensor_reporter.h"
#include "lobug/device/session.h"
#include "lobug/device/state_machine.h"
#include "lobug/device/wall_clock.h"
#include "lobug/device/wifi_watch.h"
#include "lobug/net/backoff.h"
#include "lobug/net/http_client.h"
#include "lobug/selftest/self_test.h"
#include "lobug/setup/settings.h"
#include "lobug/update/updater.h"

namespace lobug {

/// Each duty has a class of its own (the members below); this one decides which of them has its
/// turn in which state. device_controller.cpp: inputs, Wi-Fi and the view. server_access.cpp: the
/// way from the Wi-Fi to a session, and back when something breaks. device_power.cpp: what power
/// and the time of day are to the rest.
class DeviceController final : public SessionHandler {
 public:
  static constexpr Millis kPublishMs = 100;
  static constexpr Millis kUpdateCheckMs = 21600000;  ///< 6 h
  static constexpr Millis kUpdateAgainMs = 900000;    ///< after the network cut a download off
  static constexpr Millis kReplacedMs = 60000;        ///< another device uses our name: wait
  static constexpr Millis kStableMs = 10000;  ///< a session that lasts this long is no failure
  static constexpr std::uint8_t kTriesWithOneAddress = 3;

  DeviceController(const Platform& platform, AudioLink& audio, ScreenLink& screen);

  void step(Millis now);
  DeviceState state() const { return machine_.state(); }

  // SessionHandler
  void on_ready(Millis now) override;
  std::string_view hello_report(Millis now) override { return health_.write(now); }
  std::size_t kept_glyphs() const override {
    return screen_.glyphs != nullptr ? PushedGlyphs::kKept : 0;
  }
  void on_message(const ServerMessage& message, Millis now) override;
  void on_audio(Bytes pcm, Millis now) override;
  void on_end(const SessionEnd& end, Millis now) override;

 private:
  void start(Millis now);
  void step_state(Millis now);
  void take(const Input& input, Millis now);
  void tapped(Millis now);
  void begin_self_test(Millis now);
  void step_self_test(Millis now);
  void reload_settings(Millis now);
  void restart();

  void join(Millis now);
  void wifi_up(Millis now);
  void wifi_down(bool password_refused, Millis now);
  void open_setup(Trouble why, Millis now);

  bool connected() const { return has_session(state()); }
  void go(DeviceState next);
  void find(Millis now);
  void enrol(Millis now);
  void enter(Millis now);
  void connect(Millis now);
  void offline(Trouble trouble, Millis wait_ms, Millis now);
  void retry(Millis now);

  bool wants_update();
  void begin_update(Millis now);
  void follow_update(FirmwareUpdate::Progress progress, Millis now);
  void check_for_update(Millis now);
  void report_sensors(Millis now);

  void take_glyphs(std::string_view glyphs);
  void watch_memory(Millis now);
  bool is_busy() const;
  bool is_dark() const { return power_.state() == PowerState::kDark; }
  void step_power(Millis now);
  void step_body();
  void learn_time(Millis now);
  void publish_power();
  void publish_time();
  void publish_timers();
  void publish(Millis now);

  Platform platform_;
  AudioLink& audio_;
  ScreenLink& screen_;
  StateMachine machine_;
  Settings settings_;
  View view_;
  Identity identity_;
  WallClock clock_;
  PowerControl power_;
  BatteryReading battery_;
  DeviceControls controls_;
  std::array<std::uint8_t, 12288> http_buffer_{};
  HttpClient http_;  ///< shared by enrolment, sensor reports and updates, one at a time
  Enrolment enrolment_;
  SensorReporter sensors_;
  FirmwareUpdate update_;
  Trial trial_;
  Session session_;
  Conversation conversation_;
  WifiWatch wifi_;
  HealthReporter health_;
  SelfTest self_test_;
  bool tested_connected_ = false;  ///< there was a session at the self-test's last step
  MemoryWatch memory_;
  Backoff backoff_{1000, 60000};

  Trouble trouble_ = Trouble::kNone;  ///< of kOffline, and of kSetup beside a stored Wi-Fi
  std::uint8_t failures_ = 0;         ///< to connect to one address, in a row
  bool touched_ = false;              ///< somebody did something since the last step
  std::uint32_t knocks_ = 0;          ///< that have counted
  std::size_t notice_seen_ = 0;       ///< a hash of the notice that has counted
  bool checking_for_update_ = false;  ///< discovery is asked beside a session
  Deadline retry_at_;
  Deadline stable_at_;  ///< set until the session has lasted for kStableMs
  Deadline publish_at_;
  Deadline update_check_at_;
  std::array<char, 4096> mcp_answer_{};
};

}  // namespace lobug
