// What the device is doing: its states, the legal transitions between them, and the one variable
// that holds the state.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/language/phrase.h"
#include "lobug/ports/system.h"

namespace lobug {

enum class DeviceState : std::uint8_t {
  kStarting,    ///< reads its settings
  kSetup,       ///< the captive portal is open: no Wi-Fi is set, or the one that is set fails
  kJoining,     ///< waits for the Wi-Fi
  kFinding,     ///< looks for the server (mDNS) and asks discovery
  kPairing,     ///< shows a code that the owner has to approve
  kConnecting,  ///< opens the WebSocket and says hello
  kIdle,        ///< has a session; nobody talks
  kListening,   ///< the microphone is open
  kThinking,    ///< the utterance has ended and no sound has come yet
  kSpeaking,    ///< plays a reply
  kUpdating,    ///< downloads a new firmware
  kOffline,     ///< something is missing; the device tries again by itself
};
constexpr std::uint8_t kDeviceStateCount = 12;

std::string_view name_of(DeviceState state);

/// Whether the device may go from `from` to `to`; false for `from == to`.
bool is_legal_transition(DeviceState from, DeviceState to);

/// Whether the device has a session with the server in this state.
constexpr bool has_session(DeviceState state) {
  return state == DeviceState::kIdle || state == DeviceState::kListening ||
         state == DeviceState::kThinking || state == DeviceState::kSpeaking;
}

/// Holds the device's state.
class StateMachine {
 public:
  explicit StateMachine(System& system) : system_(system) {}

  DeviceState state() const { return state_; }
  /// Goes to `next`; going to the present state always succeeds. An illegal transition is logged
  /// and refused: false, and the state stays.
  bool go(DeviceState next);

 private:
  System& system_;
  DeviceState state_ = DeviceState::kStarting;
};

/// Why the device is offline, or in setup although a Wi-Fi is set.
enum class Trouble : std::uint8_t {
  kNone,
  kNoWifi,
  kWrongPassword,
  kNoServer,
  kServerGone,
  kUntrusted,
  kOutdated,
  kNoCa,
  kRefused,
  kServerFull,
  kReplaced,
  kUpdateFailed,
  kLowMemory,
};
/// The trouble in one sentence for the screen; nothing for kNone.
Phrase sentence_of(Trouble trouble);

}  // namespace lobug
