// What fingers, network and server do at the worst moment.
#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "device/scripted_talk.h"
#include "lobug/device/conversation.h"
#include "lobug/language/phrases.h"

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
  CHECK(t.state() == DeviceState::kListening);
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
  CHECK(t.state() == DeviceState::kListening);
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
  t.lose();
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

TEST_CASE("whoever holds on until the server has heard enough gets the answer") {
  Talk t;
  t.talk.hold_begin(t.now);
  t.step();
  SUBCASE("what comes at once is of an utterance before") {
    t.step(Conversation::kOlderMs - 20);
    t.say(Kind::kTtsStart);
    CHECK(t.state() == DeviceState::kListening);
  }
  SUBCASE("what comes later is the answer") {
    t.steps(3000);
    t.say(Kind::kStt, "a long story");
    CHECK(t.state() == DeviceState::kThinking);
    t.reply("I see.", 960);
    CHECK(t.state() == DeviceState::kSpeaking);
    CHECK(t.link.wanted == AudioMode::kPlay);
    t.talk.hold_end(t.now);  // the finger leaves at last: nothing is cut off
    t.step();
    CHECK(t.state() == DeviceState::kSpeaking);
    t.say(Kind::kTtsStop);
    CHECK(t.play() == 960);
  }
}

TEST_CASE("what was no word is said to have been none, soon") {
  Talk t;
  t.talk.hold_begin(t.now);
  t.step();
  t.talk.hold_end(t.now);
  t.step();
  SUBCASE("the server says so with a face") {
    t.say(Kind::kLlm);
    t.step(Conversation::kNotHeardMs + 10);
    t.step();
  }
  SUBCASE("the server says nothing at all") {
    t.step(Conversation::kAnswerMs + 10);
    t.step();
  }
  CHECK(t.state() == DeviceState::kIdle);
  CHECK(t.talk.caption() == english()[Phrase::kNotUnderstood]);
}

TEST_CASE("it says so in the owner's language, which may change") {
  Talk t;
  for (const Language language : {Language::kGerman, Language::kSpanish}) {
    t.language = language;
    t.talk.hold_begin(t.now);
    t.step();
    t.talk.hold_end(t.now);
    t.step();
    t.step(Conversation::kAnswerMs + 10);
    t.step();
    CHECK(t.talk.caption() == phrases_of(language)[Phrase::kNotUnderstood]);
  }
}

TEST_CASE("words of a quick second turn are shown as long as it thinks") {
  Talk t;
  t.reply("The first answer.", 960);
  t.say(Kind::kTtsStop);
  (void)t.play();
  t.steps(3);
  REQUIRE(t.state() == DeviceState::kIdle);
  t.step(Conversation::kCaptionMs - 1000);
  t.talk.tap(t.mode, t.now);
  t.steps(2);
  t.say(Kind::kStt, "and now?");
  CHECK(t.talk.caption().empty());
  t.step(2000);
  CHECK(t.state() == DeviceState::kThinking);
  CHECK(t.talk.heard() == "and now?");
}

TEST_CASE("whatever happens in whatever order, no transition is illegal") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Talk t;
    t.session.finds_wake_word = seed % 3 == 0;
    std::minstd_rand dice(seed);
    for (int round = 0; round < 300; ++round) {
      t.mode = static_cast<TalkMode>(dice() / 97 % 3);
      const auto event = dice() / 131 % 14;
      // Without a session the device passes nothing on (0 to 10).
      const bool passed = has_session(t.state()) || event == 4 || event > 10;
      switch (passed ? event : 13) {
        case 0:
          t.talk.tap(t.mode, t.now);
          break;
        case 1:
          t.talk.hold_begin(t.now);
          break;
        case 2:
          t.talk.hold_end(t.now);
          break;
        case 3:
          t.lose();
          break;
        case 4:
          if (!has_session(t.state())) t.begin();
          break;
        case 5:
          t.say(Kind::kStt, "words");
          break;
        case 6:
          t.say(Kind::kLlm);
          break;
        case 7:
          t.say(Kind::kTtsStart);
          break;
        case 8:
          t.say(Kind::kTtsStop);
          break;
        case 9:
          t.say(Kind::kAlert, "oh");
          break;
        case 10:
          t.sound(960);
          break;
        case 11:
          (void)t.play();
          break;
        case 12:
          t.link.voice = !t.link.voice;
          break;
        default:
          t.step(dice() / 61 % 4 == 0 ? 50000 : 700);
          break;
      }
      t.step();
      CAPTURE(seed);
      CAPTURE(round);
      REQUIRE(t.system.lines.empty());
    }
  }
}
