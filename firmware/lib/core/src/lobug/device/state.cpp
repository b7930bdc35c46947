#include "lobug/device/state.h"

#include <array>
#include <cstddef>

namespace lobug {
namespace {

constexpr std::uint16_t bit(DeviceState state) {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(state));
}

template <typename... States>
constexpr std::uint16_t any_of(States... states) {
  return static_cast<std::uint16_t>((bit(states) | ... | 0U));
}

using S = DeviceState;

struct Row {
  DeviceState from;
  std::uint16_t to;
};

// Which states may follow which. From everywhere the way to kOffline (something broke) and to
// kSetup (the owner forgot the network, or has mistyped its password) is open; it is left out
// below.
constexpr std::array<Row, kDeviceStateCount> kTable{{
    {S::kStarting, any_of(S::kJoining)},
    {S::kSetup, any_of(S::kJoining)},
    {S::kJoining, any_of(S::kFinding)},
    {S::kFinding, any_of(S::kPairing, S::kConnecting, S::kUpdating, S::kJoining)},
    {S::kPairing, any_of(S::kFinding)},
    {S::kConnecting, any_of(S::kIdle, S::kFinding)},
    // (Into kThinking: the server heard the wake word and what followed it.)
    {S::kIdle, any_of(S::kListening, S::kThinking, S::kSpeaking, S::kUpdating, S::kFinding)},
    {S::kListening, any_of(S::kThinking, S::kSpeaking, S::kIdle, S::kFinding)},
    {S::kThinking, any_of(S::kSpeaking, S::kListening, S::kIdle, S::kFinding)},
    {S::kSpeaking, any_of(S::kListening, S::kIdle, S::kFinding)},
    {S::kUpdating, any_of(S::kFinding, S::kConnecting)},
    {S::kOffline, any_of(S::kJoining, S::kFinding, S::kConnecting)},
}};

constexpr bool in_order() {
  for (std::size_t index = 0; index < kTable.size(); ++index) {
    if (static_cast<std::size_t>(kTable[index].from) != index) return false;
  }
  return true;
}
static_assert(in_order(), "a row for each state, in the order of the enumeration");

}  // namespace

std::string_view name_of(DeviceState state) {
  switch (state) {
    case S::kStarting:
      return "starting";
    case S::kSetup:
      return "setup";
    case S::kJoining:
      return "joining";
    case S::kFinding:
      return "finding";
    case S::kPairing:
      return "pairing";
    case S::kConnecting:
      return "connecting";
    case S::kIdle:
      return "idle";
    case S::kListening:
      return "listening";
    case S::kThinking:
      return "thinking";
    case S::kSpeaking:
      return "speaking";
    case S::kUpdating:
      return "updating";
    case S::kOffline:
      return "offline";
  }
  return "unknown";
}

bool may_follow(DeviceState from, DeviceState to) {
  if (from == to) return false;
  if (to == S::kOffline || to == S::kSetup) return true;
  const auto row = static_cast<std::size_t>(from);
  return row < kTable.size() && (kTable[row].to & bit(to)) != 0;
}

std::string_view sentence_of(Trouble trouble) {
  switch (trouble) {
    case Trouble::kNone:
      return "";
    case Trouble::kNoWifi:
      return "I cannot reach the Wi-Fi.";
    case Trouble::kWrongPassword:
      return "The Wi-Fi refuses my password.";
    case Trouble::kNoServer:
      return "I find no Lo-Bug server here. Is it running?";
    case Trouble::kServerGone:
      return "My server is gone. I keep trying.";
    case Trouble::kUntrusted:
      return "I do not trust this server's certificate.";
    case Trouble::kNoCa:
      return "https needs a CA: set it, please.";
    case Trouble::kRefused:
      return "The server does not let me in.";
    case Trouble::kServerFull:
      return "The server has no room for me now.";
    case Trouble::kReplaced:
      return "Another device has my name. I step back.";
    case Trouble::kUpdateFailed:
      return "The update was no good. I stay as I am.";
    case Trouble::kLowMemory:
      return "I am short of memory. Please restart me.";
  }
  return "";
}

}  // namespace lobug
