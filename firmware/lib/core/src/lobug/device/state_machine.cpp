#include "lobug/device/state_machine.h"

#include <array>
#include <cstdio>

#include "lobug/sentences.h"

namespace lobug {
namespace {

using S = DeviceState;

struct Transition {
  DeviceState from;
  DeviceState to;
};

/// Every legal transition.
constexpr Transition kTransitions[] = {
    {S::kStarting, S::kSetup},    // no Wi-Fi is set
    {S::kStarting, S::kJoining},  // a Wi-Fi is set

    {S::kSetup, S::kJoining},  // the stored Wi-Fi is tried again
    {S::kSetup, S::kOffline},  // the owner stored new settings

    {S::kJoining, S::kFinding},  // the Wi-Fi is up
    {S::kJoining, S::kOffline},  // it is late or refused the password, or settings changed

    {S::kFinding, S::kPairing},     // the server does not know the device
    {S::kFinding, S::kConnecting},  // it does
    {S::kFinding, S::kUpdating},    // it does, and offers a new firmware
    {S::kFinding, S::kOffline},

    {S::kPairing, S::kFinding},  // the owner approved the code, or it has expired
    {S::kPairing, S::kOffline},

    {S::kConnecting, S::kIdle},  // the server said hello
    {S::kConnecting, S::kOffline},

    {S::kIdle, S::kListening},  // a tap or a hold
    {S::kIdle, S::kThinking},   // the server heard the wake word and what followed it
    {S::kIdle, S::kSpeaking},   // the server speaks first, or an old reply still plays
    {S::kIdle, S::kOffline},

    {S::kListening, S::kThinking},  // the utterance has ended
    {S::kListening, S::kSpeaking},  // the reply came before the transcript
    {S::kListening, S::kIdle},      // nobody spoke, or the owner tapped
    {S::kListening, S::kOffline},

    {S::kThinking, S::kSpeaking},   // the reply begins
    {S::kThinking, S::kListening},  // no reply came: a conversation goes on
    {S::kThinking, S::kIdle},       // no reply came, or the owner tapped
    {S::kThinking, S::kOffline},

    {S::kSpeaking, S::kListening},  // the reply has ended: a conversation goes on
    {S::kSpeaking, S::kIdle},       // the reply has ended, or the owner tapped
    {S::kSpeaking, S::kOffline},

    {S::kUpdating, S::kConnecting},  // the download failed
    {S::kUpdating, S::kOffline},

    {S::kOffline, S::kSetup},       // the Wi-Fi fails for good, or the owner removed it
    {S::kOffline, S::kJoining},     // the owner stored another Wi-Fi
    {S::kOffline, S::kFinding},     // the Wi-Fi is back, or the server's address is no good
    {S::kOffline, S::kConnecting},  // the same address is tried again
};

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

bool is_legal_transition(DeviceState from, DeviceState to) {
  for (const Transition& legal : kTransitions) {
    if (legal.from == from && legal.to == to) return true;
  }
  return false;
}

bool StateMachine::go(DeviceState next) {
  if (next == state_) return true;
  if (is_legal_transition(state_, next)) {
    state_ = next;
    return true;
  }
  const std::string_view from = name_of(state_);
  const std::string_view to = name_of(next);
  std::array<char, 80> line{};
  std::snprintf(line.data(), line.size(), sentences::kIllegalTransition,
                static_cast<int>(from.size()), from.data(), static_cast<int>(to.size()), to.data());
  system_.log(line.data());
  return false;
}

Phrase sentence_of(Trouble trouble) {
  switch (trouble) {
    case Trouble::kNone:
      break;
    case Trouble::kNoWifi:
      return Phrase::kNoWifi;
    case Trouble::kWrongPassword:
      return Phrase::kWrongPassword;
    case Trouble::kNoServer:
      return Phrase::kNoServer;
    case Trouble::kServerGone:
      return Phrase::kServerGone;
    case Trouble::kUntrusted:
      return Phrase::kUntrusted;
    case Trouble::kOutdated:
      return Phrase::kOutdated;
    case Trouble::kNoCa:
      return Phrase::kNoCa;
    case Trouble::kRefused:
      return Phrase::kRefused;
    case Trouble::kServerFull:
      return Phrase::kServerFull;
    case Trouble::kReplaced:
      return Phrase::kReplaced;
    case Trouble::kUpdateFailed:
      return Phrase::kUpdateFailed;
    case Trouble::kLowMemory:
      return Phrase::kLowMemory;
  }
  return Phrase::kNone;
}

}  // namespace lobug
