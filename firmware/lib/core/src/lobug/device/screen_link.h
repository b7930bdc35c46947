// What crosses between the screen's thread and the device's: inputs one way, the view the other.
#pragma once

#include <atomic>
#include <cstdint>

#include "lobug/base/calendar.h"
#include "lobug/base/exchange.h"
#include "lobug/base/text.h"
#include "lobug/body/body.h"
#include "lobug/device/power.h"
#include "lobug/device/state_machine.h"
#include "lobug/face/emotion.h"
#include "lobug/face/pushed_glyphs.h"
#include "lobug/language/phrases.h"
#include "lobug/selftest/measurements.h"
#include "lobug/senses/motion.h"
#include "lobug/setup/settings.h"

namespace lobug {

/// Something that happened to the device: a touch, news of the Wi-Fi, a command of the owner.
struct Input {
  enum class Kind : std::uint8_t {
    kPress,      ///< a finger came down on the face or the middle button: a tap or a hold begins
    kPressEnd,   ///< it was neither: it slid away
    kTap,        ///< the face or the middle button was tapped
    kHoldBegin,  ///< the face or the middle button is held: push to talk
    kHoldEnd,
    kVolume,         ///< value: percent
    kBrightness,     ///< value: percent
    kTalkMode,       ///< value: TalkMode
    kCaptions,       ///< value: 0 or 1
    kLanguage,       ///< value: Language
    kWifiUp,         ///< text: own IP address
    kWifiDown,       ///< value: see `wifi_down_value`
    kWifiSignal,     ///< value: dBm
    kWifiSeen,       ///< the stored Wi-Fi came into range while the setup page is open
    kBattery,        ///< value: `battery_value`
    kWake,           ///< a touch on the dark screen: it shall be on, and nothing else
    kSetupGuest,     ///< a phone is on the device's own Wi-Fi; repeated once a minute
    kSettings,       ///< the portal or a serial command stored settings: load them again
    kYawOffset,      ///< value: degrees that are added to it
    kPitchOffset,    ///< value: the same
    kCalibrate,      ///< value: 1: keep the head ahead, as the owner calibrates it; 0: done
    kSelfTest,       ///< measure microphone, speaker, memory ...
    kForgetPairing,  ///< drop the token and pair again
    kReset,          ///< back to the state of a new device
    kRestart,
  };
  Kind kind = Kind::kTap;
  std::int32_t value = 0;
  Text<48> text;
};

/// A reading of the power chip as the value of an input, and back.
constexpr std::int32_t battery_value(const BatteryReading& battery) {
  return (battery.known ? battery.percent & 0x7F : 0) | (battery.charging ? 0x80 : 0) |
         (battery.powered ? 0x100 : 0) | (battery.known ? 0 : 0x200);
}
constexpr BatteryReading battery_of(std::int32_t value) {
  BatteryReading battery;
  battery.known = (value & 0x200) == 0;
  battery.percent = static_cast<std::uint8_t>(value & 0x7F);
  battery.charging = (value & 0x80) != 0;
  battery.powered = (value & 0x100) != 0;
  return battery;
}

/// The value of kWifiDown: whether the password was refused, and the driver's reason.
constexpr std::int32_t wifi_down_value(bool refused, std::uint8_t reason) {
  return static_cast<std::int32_t>(reason) * 256 + (refused ? 1 : 0);
}
constexpr bool wifi_refused(std::int32_t value) { return (value & 1) != 0; }
constexpr std::uint8_t wifi_reason(std::int32_t value) {
  return static_cast<std::uint8_t>(value / 256 & 0xFF);
}

/// What the screen shows.
struct View {
  DeviceState state = DeviceState::kStarting;
  Trouble trouble = Trouble::kNone;
  Emotion emotion = Emotion::kNeutral;
  /// A tool asked for this emotion: it is shown even while the device thinks.
  bool posing = false;
  /// The sentence that is being spoken, or an alert; empty: nothing to show.
  Text<512> caption;
  /// Transcript of the owner's last utterance.
  Text<256> heard;
  /// Pairing code, in kPairing.
  Text<16> code;
  /// Name and key of the access point and address of the setup page, for kSetup.
  Text<40> setup_network;
  Text<16> setup_key;
  Text<40> setup_address;
  /// Text that a tool put on the screen.
  Text<256> notice;
  bool store_encrypted = false;  ///< what is in NVS
  Text<64> server_name;
  bool wifi = false;
  std::int8_t wifi_dbm = -127;
  bool server = false;       ///< the device has a session
  bool microphone = false;   ///< open; the status bar shows it on every screen
  std::uint8_t battery = 0;  ///< percent
  bool battery_known = false;
  bool charging = false;
  std::uint8_t volume = 0;      ///< percent
  std::uint8_t brightness = 0;  ///< percent, as the owner has set it
  PowerState power = PowerState::kAwake;
  std::uint8_t backlight = 0;  ///< percent, as it is to be now; 0: off
  bool radio_sleeps = false;   ///< the Wi-Fi may sleep between beacons
  bool powered = false;        ///< by USB or another supply
  bool captions = true;
  Language language = Language::kEnglish;
  TalkMode talk_mode = TalkMode::kTap;
  bool wake_word = false;  ///< the server listens for one, as it said when it was last met
  std::uint8_t update_percent = 0;
  std::int16_t minute_of_day = -1;  ///< local time, minutes since midnight; -1: not known
  CalendarDay date;                 ///< known with it
  bool clock = false;               ///< the owner wants it on the screen when nobody talks
  // The tool's timer that ends first.
  std::uint8_t timers = 0;  ///< how many run
  std::uint32_t timer_left_s = 0;
  std::uint32_t timer_total_s = 0;
  Text<40> timer_label;
  bool ringing = false;  ///< a timer rings: `notice` says which
  /// Seconds until the next try to connect; 0: now.
  std::uint16_t retry_s = 0;
  Text<24> version;
  Text<48> address;  ///< own IP address
  SelfTestState self_test;
  BodyView body;
};

struct ScreenLink {
  Queue<Input, 16> inputs;                ///< screen to device
  Latest<View> view;                      ///< device to screen
  Latest<Motion> motion;                  ///< screen (which reads the sensor) to device
  std::atomic<std::uint32_t> frames{0};   ///< pictures that were drawn, by the screen
  std::atomic<std::uint32_t> touches{0};  ///< fingers that came down, by the screen
  /// Device to screen, elsewhere in memory; nullptr: the screen shows none, and asks for none.
  PushedGlyphs* glyphs = nullptr;
};

}  // namespace lobug
