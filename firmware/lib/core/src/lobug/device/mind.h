// The inside of Device: what it is made of, and what it does in each state.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "lobug/device/conversation.h"
#include "lobug/device/device.h"
#include "lobug/device/enrolment.h"
#include "lobug/device/reporter.h"
#include "lobug/device/session.h"
#include "lobug/device/tool_timers.h"
#include "lobug/net/backoff.h"
#include "lobug/net/http_client.h"
#include "lobug/setup/settings.h"
#include "lobug/tools/tools.h"
#include "lobug/update/updater.h"

namespace lobug {

/// What the one HTTP connection is used for besides enrolment.
enum class HttpUse : std::uint8_t { kNone, kSensors, kUpdate };

class Mind final : public SessionHandler, public ToolHost {
 public:
  static constexpr Millis kJoinMs = 30000;  ///< until a missing Wi-Fi is worth a word
  /// A password that was refused so often before it ever served is most likely mistyped.
  static constexpr std::uint8_t kRefusals = 3;
  /// A Wi-Fi that has not served since the start and is missing for so long is most likely
  /// mistyped, or another one by now.
  static constexpr Millis kMissingMs = 180000;
  static constexpr Millis kSetupAgainMs = 600000;  ///< then what is stored is tried again
  static constexpr Millis kSetupStayMs = 180000;   ///< longer while somebody is on the page
  static constexpr std::uint8_t kSetupStays = 30;  ///< ... but not for ever
  static constexpr Millis kPoseMs = 10000;         ///< a face that was asked for stays
  static constexpr Millis kSaveMs = 2000;  ///< settings rest so long before they are written
  static constexpr Millis kPublishMs = 100;
  static constexpr Millis kUpdateCheckMs = 21600000;    ///< 6 h
  static constexpr Millis kUpdateMs = 600000;           ///< for a whole download
  static constexpr Millis kReplacedMs = 60000;          ///< another device has our name: step back
  static constexpr Millis kSettledMs = 10000;           ///< a session that lasts is no failure
  static constexpr std::uint32_t kLeastMemory = 16384;  ///< bytes: below it only the talk goes on
  static constexpr std::uint32_t kTooLittleMemory = 8192;
  static constexpr Millis kStarvingMs =
      60000;  ///< ... for so long, and a restart is the lesser ill
  static constexpr Millis kUpdateAgainMs = 900000;  ///< after the network cut a download off
  static constexpr std::uint8_t kTriesWithOneAddress = 3;

  Mind(const Platform& platform, AudioLink& audio, ScreenLink& screen);

  void step(Millis now);
  DeviceState state() const;

  // SessionHandler
  void on_ready(Millis now) override;
  void on_message(const ServerMessage& message, Millis now) override;
  void on_audio(Bytes pcm, Millis now) override;
  void on_end(const SessionEnd& end, Millis now) override;

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
  Effects& effects() override { return platform_.effects; }

 private:
  void start(Millis now);
  void take(const Input& input, Millis now);
  void take_settings(Millis now);
  void wifi_up(Millis now);
  void wifi_down(bool password_refused, Millis now);
  void wifi_seen(Millis now);
  void password_refused(Millis now);
  void set_up_again(Trouble why, Millis now);
  void stay_in_setup(Millis now);
  void join(Millis now);

  void go(DeviceState next);
  void find(Millis now);
  void connect(Millis now);
  void offline(Trouble trouble, Millis wait_ms, Millis now);
  void retry(Millis now);
  void let_in(Millis now);
  void enrol(Millis now);
  void forget_token();
  std::string_view token() const;
  /// What a token is bound to: the address that was set, or that it was found by mDNS.
  std::string_view server_name() const;

  bool wants_update();
  void begin_update(Millis now);
  void step_update(Millis now);
  void end_update(UpdateFault fault, Millis now);
  void check_for_update(Millis now);

  void report_sensors(Millis now);
  void ring_timers(Millis now);
  void dismiss_notice();
  void save_later(Millis now);
  void save_levels();
  void restart();
  void watch_memory(Millis now);
  void publish(Millis now);
  Introduction introduction() const;

  Platform platform_;
  AudioLink& audio_;
  ScreenLink& screen_;
  Settings settings_;
  std::array<std::uint8_t, 12288> http_buffer_{};
  HttpClient http_;
  Enrolment enrolment_;
  Session session_;
  Conversation conversation_;
  Backoff backoff_{1000, 60000};
  FirmwareWriter writer_;
  Trial trial_;
  SensorReporter reporter_;
  ToolTimers timers_;

  DeviceState state_ = DeviceState::kStarting;
  Trouble trouble_ = Trouble::kNone;
  bool wifi_ = false;
  bool wifi_served_ = false;            ///< with what is stored, since the start
  std::uint8_t refusals_ = 0;           ///< of its password, in a row
  bool tried_as_seen_ = false;          ///< the setup page was left once since the Wi-Fi was seen
  Trouble setup_why_ = Trouble::kNone;  ///< why the setup page is open beside a stored Wi-Fi
  std::uint8_t setup_stays_ = 0;        ///< how often setup may yet be kept open
  bool low_memory_ = false;
  bool had_memory_ = false;    ///< there was enough of it once: a restart would bring it back
  bool connected_ = false;     ///< the session is ready: the conversation's state is ours
  bool checking_ = false;      ///< enrolment runs beside the conversation, for an update alone
  std::uint8_t failures_ = 0;  ///< in a row, with one address
  HttpUse http_use_ = HttpUse::kNone;
  FirmwareOffer offer_;
  Text<24> refused_image_;  ///< an image that was no good is not fetched again
  Millis now_ = 0;
  Deadline retry_;
  Deadline settled_;  ///< set until the session has lasted
  Deadline join_until_;
  Deadline missing_until_;  ///< set while a Wi-Fi that has not served is looked for
  Deadline setup_until_;    ///< set where there is a Wi-Fi to go back to
  Deadline save_at_;
  Deadline publish_at_;
  Deadline update_check_;
  Deadline notice_until_;
  Deadline starving_until_;
  Deadline posing_until_;
  Emotion posed_ = Emotion::kNeutral;
  Motion motion_;
  View view_;
  std::array<char, 4096> answer_{};
  std::array<char, 512> sensors_{};
};

}  // namespace lobug
