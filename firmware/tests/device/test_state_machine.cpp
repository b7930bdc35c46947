#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lobug/device/state_machine.h"
#include "support/scripted_system.h"

using namespace lobug;
using lobug::test::ScriptedSystem;
using S = DeviceState;

namespace {

constexpr S kStates[] = {S::kStarting, S::kSetup,      S::kJoining,  S::kFinding,
                         S::kPairing,  S::kConnecting, S::kIdle,     S::kListening,
                         S::kThinking, S::kSpeaking,   S::kUpdating, S::kOffline};
static_assert(std::size(kStates) == kDeviceStateCount);

// Written down a second time: a change of the table is a change of what the device does.
const std::vector<std::pair<S, std::set<S>>> kLegal = {
    {S::kStarting, {S::kSetup, S::kJoining}},
    {S::kSetup, {S::kJoining, S::kOffline}},
    {S::kJoining, {S::kFinding, S::kOffline}},
    {S::kFinding, {S::kPairing, S::kConnecting, S::kUpdating, S::kOffline}},
    {S::kPairing, {S::kFinding, S::kOffline}},
    {S::kConnecting, {S::kIdle, S::kOffline}},
    {S::kIdle, {S::kListening, S::kThinking, S::kSpeaking, S::kOffline}},
    {S::kListening, {S::kThinking, S::kSpeaking, S::kIdle, S::kOffline}},
    {S::kThinking, {S::kSpeaking, S::kListening, S::kIdle, S::kOffline}},
    {S::kSpeaking, {S::kListening, S::kIdle, S::kOffline}},
    {S::kUpdating, {S::kConnecting, S::kOffline}},
    {S::kOffline, {S::kSetup, S::kJoining, S::kFinding, S::kConnecting}},
};

/// The shortest way from kStarting to `to`, without kStarting, by the table above.
std::vector<S> way_to(S to) {
  std::vector<std::vector<S>> ways = {{S::kStarting}};
  for (std::size_t at = 0; at < ways.size(); ++at) {
    const std::vector<S> way = ways[at];
    if (way.back() == to) return {way.begin() + 1, way.end()};
    for (const S next : kLegal[static_cast<std::size_t>(way.back())].second) {
      std::vector<S> longer = way;
      longer.push_back(next);
      if (longer.size() <= kDeviceStateCount) ways.push_back(longer);
    }
  }
  return {};
}

}  // namespace

TEST_CASE("every pair of states: a legal transition is made, another is refused and logged") {
  for (const auto& row : kLegal) {
    const S from = row.first;
    const std::set<S>& legal = row.second;
    for (const S to : kStates) {
      CAPTURE(std::string(name_of(from)));
      CAPTURE(std::string(name_of(to)));
      ScriptedSystem system;
      StateMachine machine(system);
      for (const S state : way_to(from)) REQUIRE(machine.go(state));
      REQUIRE(machine.state() == from);
      REQUIRE(system.lines.empty());

      const bool is_legal = legal.count(to) == 1;
      CHECK(is_legal_transition(from, to) == is_legal);
      CHECK(machine.go(to) == (is_legal || to == from));
      CHECK(machine.state() == (is_legal ? to : from));
      if (is_legal || to == from) {
        CHECK(system.lines.empty());
      } else {
        REQUIRE(system.lines.size() == 1);
        CHECK(system.lines[0] == "illegal transition refused: " + std::string(name_of(from)) +
                                     " to " + std::string(name_of(to)));
      }
    }
  }
}

TEST_CASE("every state has a name of its own, and can be reached and left") {
  std::set<std::string> names;
  for (const S state : kStates) {
    names.emplace(name_of(state));
    CHECK((state == S::kStarting || !way_to(state).empty()));
    CHECK_FALSE(kLegal[static_cast<std::size_t>(state)].second.empty());
  }
  CHECK(names.size() == kDeviceStateCount);
  CHECK(names.count("unknown") == 0);
}

TEST_CASE("what is no state is refused") {
  CHECK_FALSE(is_legal_transition(static_cast<S>(200), S::kIdle));
  CHECK_FALSE(is_legal_transition(S::kIdle, static_cast<S>(200)));
  CHECK_FALSE(has_session(static_cast<S>(200)));
}

TEST_CASE("the device has a session from idle to speaking") {
  for (const S state : kStates) {
    CHECK(has_session(state) == (state == S::kIdle || state == S::kListening ||
                                 state == S::kThinking || state == S::kSpeaking));
  }
}

TEST_CASE("every trouble has a sentence") {
  for (int trouble = 0; trouble <= static_cast<int>(Trouble::kLowMemory); ++trouble) {
    const Phrase sentence = sentence_of(static_cast<Trouble>(trouble));
    CHECK((sentence == Phrase::kNone) == (trouble == 0));
  }
}
