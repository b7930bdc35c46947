#include <doctest/doctest.h>

#include <string>

#include "lobug/device/state.h"

using lobug::DeviceState;
using lobug::kDeviceStateCount;
using lobug::may_follow;

TEST_CASE("every state has a name of its own and a way out") {
  for (int from = 0; from < kDeviceStateCount; ++from) {
    const auto state = static_cast<DeviceState>(from);
    CHECK(lobug::name_of(state) != "unknown");
    CHECK_FALSE(may_follow(state, state));
    int exits = 0;
    for (int to = 0; to < kDeviceStateCount; ++to) {
      const auto next = static_cast<DeviceState>(to);
      if (from != to) CHECK(lobug::name_of(state) != lobug::name_of(next));
      if (may_follow(state, next)) ++exits;
    }
    CHECK(exits >= 2);
  }
}

TEST_CASE("the device can always say that something broke, and recovers from there") {
  for (int from = 0; from < kDeviceStateCount; ++from) {
    const auto state = static_cast<DeviceState>(from);
    if (state != DeviceState::kOffline) CHECK(may_follow(state, DeviceState::kOffline));
  }
  CHECK(may_follow(DeviceState::kOffline, DeviceState::kFinding));
  CHECK(may_follow(DeviceState::kOffline, DeviceState::kConnecting));
}

TEST_CASE("what makes no sense is refused") {
  CHECK_FALSE(may_follow(DeviceState::kStarting, DeviceState::kListening));
  CHECK_FALSE(may_follow(DeviceState::kPairing, DeviceState::kIdle));
  CHECK_FALSE(may_follow(DeviceState::kUpdating, DeviceState::kSpeaking));
  CHECK_FALSE(may_follow(DeviceState::kOffline, DeviceState::kIdle));
  CHECK_FALSE(may_follow(static_cast<DeviceState>(200), DeviceState::kIdle));
}

TEST_CASE("sentences fit the screen") {
  for (int trouble = 0; trouble <= static_cast<int>(lobug::Trouble::kLowMemory); ++trouble) {
    const auto sentence = lobug::sentence_of(static_cast<lobug::Trouble>(trouble));
    CHECK(sentence.size() <= 60);
    CHECK(sentence.empty() == (trouble == 0));
  }
}
