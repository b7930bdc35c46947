// What fingers, network and server do at the worst moment.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "device/scripted_talk.h"
#include "lobug/device/conversation.h"

using namespace lobug;
using lobug::test::Talk;
using Sent = std::vector<std::string>;
using Kind = ServerMessage::Kind;

TEST_CASE("words of the utterance before do not take the microphone from a finger") {
  Talk t;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.talk.hold_begin(t.now);
  t.step();
  t.say(Kind::kStt, "what was said before");
  CHECK(t.talk.state() == DeviceState::kListening);
  t.talk.hold_end(t.now);
  t.step();
  t.step();
  CHECK(t.link.wanted == AudioMode::kOff);
  CHECK(t.session.sent == Sent{"start auto", "start manual", "stop"});
}

TEST_CASE("in a conversation, no answer after \"that was all\" opens the microphone anew") {
  Talk t;
  t.mode = TalkMode::kConversation;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.link.voice = true;
  t.step();
  t.link.voice = false;
  t.talk.tap(t.mode, t.now);
  t.step();
  REQUIRE(t.session.sent == Sent{"start auto", "stop"});
  t.say(Kind::kLlm);
  t.step(Conversation::kNoReplyMs + 20);
  t.step();
  // What it says, it does: it listens with an open microphone, and the server knows.
  CHECK(t.talk.state() == DeviceState::kListening);
  CHECK(t.link.wanted == AudioMode::kListen);
  CHECK(t.session.sent == Sent{"start auto", "stop", "start auto"});
}

TEST_CASE("what was heard and said does not stay on the screen when the session is lost") {
  Talk t;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.say(Kind::kStt, "my words");
  SUBCASE("while it thinks") {}
  SUBCASE("after an announced sentence") { t.say(Kind::kSentence, "Well,"); }
  t.talk.lost();
  t.step();
  t.step(Conversation::kCaptionMs + 10);
  CHECK(t.talk.heard().empty());
  CHECK(t.talk.caption().empty());
}

TEST_CASE("a sentence that belongs to no reply vanishes by itself") {
  Talk t;
  t.say(Kind::kSentence, "out of nowhere");
  t.step();
  CHECK(t.talk.caption() == "out of nowhere");
  t.step(Conversation::kCaptionMs + 10);
  CHECK(t.talk.caption().empty());
}
