// What the device is doing: one word for it, and a table of what may follow what.
#pragma once

#include <cstdint>
#include <string_view>

namespace lobug {

enum class DeviceState : std::uint8_t {
  kStarting,    ///< settings are being read
  kSetup,       ///< no Wi-Fi is set, or its password refused: the captive portal is open
  kJoining,     ///< waits for the Wi-Fi
  kFinding,     ///< looks for the server (mDNS) and asks discovery
  kPairing,     ///< shows a code; the owner is to approve it
  kConnecting,  ///< opens the WebSocket and says hello
  kIdle,        ///< ready
  kListening,   ///< the microphone is open
  kThinking,    ///< an utterance has ended, no sound has come yet
  kSpeaking,    ///< a reply sounds
  kUpdating,    ///< a new firmware is being loaded
  kOffline,     ///< something is missing; tries again by itself
};
constexpr std::uint8_t kDeviceStateCount = 12;

std::string_view name_of(DeviceState state);
/// Whether `to` may follow `from`.
bool may_follow(DeviceState from, DeviceState to);

/// Why the device is offline, for the face to say.
enum class Trouble : std::uint8_t {
  kNone,
  kNoWifi,
  kWrongPassword,
  kNoServer,
  kServerGone,
  kUntrusted,
  kNoCa,
  kRefused,
  kServerFull,
  kReplaced,
  kUpdateFailed,
  kLowMemory,
};
/// A sentence of at most 60 characters for the screen, and what the owner can do.
std::string_view sentence_of(Trouble trouble);

}  // namespace lobug
