// What happens to the device: from the screen's thread, the Wi-Fi and the owner's fingers.
#pragma once

#include <cstdint>

#include "lobug/base/text.h"
#include "lobug/setup/settings.h"

namespace lobug {

struct Input {
  enum class Kind : std::uint8_t {
    kTap,        ///< the face or the middle button was tapped
    kHoldBegin,  ///< ... is held: push to talk
    kHoldEnd,
    kVolume,         ///< value: percent
    kBrightness,     ///< value: percent
    kTalkMode,       ///< value: TalkMode
    kCaptions,       ///< value: 0 or 1
    kWifiUp,         ///< text: own IP address
    kWifiDown,       ///< value: 1 when the password was refused
    kWifiSignal,     ///< value: dBm
    kWifiSeen,       ///< the stored Wi-Fi is there after all; said while the setup page is open
    kBattery,        ///< value: percent, 128 added while it charges
    kSetupGuest,     ///< somebody is on the device's own Wi-Fi; said once a minute
    kSettings,       ///< settings were changed by the portal or a serial command: load them anew
    kForgetPairing,  ///< throw the token away and pair again
    kReset,          ///< back to the state of a new device
    kRestart,
  };
  Kind kind = Kind::kTap;
  std::int32_t value = 0;
  Text<48> text;
};

}  // namespace lobug
