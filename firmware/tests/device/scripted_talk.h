// A conversation between an audio thread and a server that do at once what they are asked.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <string_view>
#include <vector>

#include "device/scripted_session.h"
#include "lobug/device/conversation.h"
#include "support/scripted_system.h"

namespace lobug::test {

// A conversation with an audio thread that does at once what it is asked.
struct Talk {
  std::vector<std::int16_t> up = std::vector<std::int16_t>(16000);
  std::vector<std::int16_t> down = std::vector<std::int16_t>(64000);
  AudioLink link{{up.data(), up.size()}, {down.data(), down.size()}};
  ScriptedSession session;
  ScriptedSystem system;
  StateMachine machine{system};
  Language language = Language::kEnglish;
  Conversation talk{machine, link, session, language};
  TalkMode mode = TalkMode::kTap;
  Millis now = 1000;

  Talk() {
    machine.go(DeviceState::kJoining);
    machine.go(DeviceState::kFinding);
    begin();
  }

  DeviceState state() const { return machine.state(); }
  /// A session begins, as the device does it. / It is lost.
  void begin() {
    machine.go(DeviceState::kConnecting);
    machine.go(DeviceState::kIdle);
    talk.begin();
  }
  void lose() {
    talk.lost();
    machine.go(DeviceState::kOffline);
  }

  void step(Millis ms = 10) {
    now += ms;
    const AudioMode wanted = link.wanted;
    // A speaker first plays what it has, unless that was discarded.
    const bool plays = link.actual == AudioMode::kPlay && link.downlink.active();
    if (!plays || wanted == AudioMode::kPlay) link.actual = wanted;
    talk.step(mode, now);
  }
  void steps(int count, Millis ms = 10) {
    for (int round = 0; round < count; ++round) step(ms);
  }
  void hear(std::size_t samples, std::int16_t value = 7) {
    const std::vector<std::int16_t> sound(samples, value);
    REQUIRE(link.uplink.write({sound.data(), sound.size()}) == samples);
  }
  void say(ServerMessage::Kind kind, std::string_view text = "") {
    ServerMessage message;
    message.kind = kind;
    message.text.assign(text);
    talk.message(message, now);
  }
  void sound(std::size_t samples) {
    const std::vector<std::int16_t> pcm(samples, 1000);
    talk.audio(Bytes(reinterpret_cast<const unsigned char*>(pcm.data()), 2 * samples), now);
  }
  std::size_t play() {
    std::array<std::int16_t, 960> place{};
    std::size_t all = 0;
    while (const std::size_t count = link.downlink.read({place.data(), place.size()})) all += count;
    return all;
  }
  void reply(std::string_view text, std::size_t samples) {
    say(ServerMessage::Kind::kTtsStart);
    say(ServerMessage::Kind::kSentence, text);
    sound(samples);
    step();
  }
};

}  // namespace lobug::test
