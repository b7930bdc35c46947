// What the face shows: published by the device's thread, read by the screen's.
#pragma once

#include <cstdint>

#include "lobug/base/text.h"
#include "lobug/device/state.h"
#include "lobug/face/emotion.h"
#include "lobug/setup/settings.h"

namespace lobug {

struct View {
  DeviceState state = DeviceState::kStarting;
  Trouble trouble = Trouble::kNone;
  Emotion emotion = Emotion::kNeutral;
  /// Somebody asked for this face: it is shown while a thinking one would be, too.
  bool posing = false;
  /// The words that sound now, or an alert's; empty: nothing to show.
  Text<512> caption;
  /// What was understood of the owner's last utterance.
  Text<256> heard;
  /// Pairing's code, while it is to be shown.
  Text<16> code;
  /// Name of the access point and address of the setup page, in kSetup.
  Text<40> setup_network;
  Text<40> setup_address;
  /// Text that a tool put on the screen.
  Text<256> notice;
  Text<64> server_name;
  bool wifi = false;
  std::int8_t wifi_dbm = -127;
  bool server = false;
  /// The microphone is open: the status bar shows it whatever else is on the screen.
  bool microphone = false;
  std::uint8_t battery = 0;  ///< percent
  bool battery_known = false;
  bool charging = false;
  std::uint8_t volume = 0;      ///< percent
  std::uint8_t brightness = 0;  ///< percent
  bool captions = true;
  TalkMode talk_mode = TalkMode::kTap;
  std::uint8_t update_percent = 0;
  /// Next try to connect, seconds; 0: now.
  std::uint16_t retry_s = 0;
  Text<24> version;
  Text<48> address;  ///< own IP address
};

}  // namespace lobug
