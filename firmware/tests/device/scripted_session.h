// A session for tests of the conversation: notes what was sent, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lobug/device/session.h"

namespace lobug::test {

class ScriptedSession final : public SessionSender {
 public:
  std::vector<std::string> sent;
  std::vector<std::int16_t> samples;
  std::size_t room = 1000000;  ///< frames of audio that can be sent
  bool finds_wake_word = false;

  bool listen_start(ListenMode mode) override {
    static const char* const kNames[] = {"auto", "manual", "realtime", "wake_word"};
    sent.push_back(std::string("start ") + kNames[static_cast<std::size_t>(mode)]);
    return true;
  }
  bool listen_stop() override {
    sent.emplace_back("stop");
    return true;
  }
  bool abort() override {
    sent.emplace_back("abort");
    return true;
  }
  bool playing(std::uint32_t delay_ms) override {
    sent.push_back("playing " + std::to_string(delay_ms));
    return true;
  }
  bool room_for_audio() const override { return room > 0; }
  bool wake_word() const override { return finds_wake_word; }
  bool audio(Span<const std::int16_t> frame) override {
    if (room == 0) return false;
    --room;
    samples.insert(samples.end(), frame.begin(), frame.end());
    return true;
  }
};

}  // namespace lobug::test
