#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "device/scripted_talk.h"
#include "lobug/device/conversation.h"

using namespace lobug;
using lobug::test::Talk;
using Sent = std::vector<std::string>;
using Kind = ServerMessage::Kind;

TEST_CASE(
    "a tap opens the microphone; the server is told when it is open, then gets whole frames") {
  Talk t;
  t.talk.tap(t.mode, t.now);
  CHECK(t.state() == DeviceState::kListening);
  CHECK(t.session.sent.empty());
  t.step();
  CHECK(t.session.sent == Sent{"start auto"});
  t.hear(3 * kUplinkFrameSamples + 5);
  t.step();
  CHECK(t.session.samples.size() == 3 * kUplinkFrameSamples);
}

TEST_CASE("a whole turn by tap ends idle, and everything of the reply is played") {
  Talk t;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.hear(kUplinkFrameSamples);
  t.step();
  t.say(Kind::kStt, "What time is it?");
  CHECK(t.state() == DeviceState::kThinking);
  CHECK(t.talk.heard() == "What time is it?");
  t.reply("Ten.", 16000);
  CHECK(t.state() == DeviceState::kSpeaking);
  CHECK(t.link.wanted == AudioMode::kPlay);
  CHECK(t.talk.caption() == "Ten.");
  t.say(Kind::kTtsStop);
  t.step();
  CHECK(t.state() == DeviceState::kSpeaking);  // the buffer is not empty yet
  CHECK(t.play() == 16000);
  t.steps(2);
  CHECK(t.state() == DeviceState::kIdle);
  CHECK(t.link.wanted == AudioMode::kOff);
  t.steps(1, Conversation::kCaptionMs + 1);
  CHECK(t.talk.caption().empty());
}

TEST_CASE("in a conversation it listens again after a reply") {
  Talk t;
  t.mode = TalkMode::kConversation;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.reply("Hello.", 1600);
  t.say(Kind::kTtsStop);
  CHECK(t.play() == 1600);
  t.steps(3);
  CHECK(t.state() == DeviceState::kListening);
  CHECK(t.session.sent == Sent{"start auto", "start auto"});
}

TEST_CASE("an idle device plays what nobody asked for, and a tap sends an abort") {
  Talk t;
  t.reply("Your pasta timer is done.", 16000);
  CHECK(t.state() == DeviceState::kSpeaking);
  CHECK(t.link.wanted == AudioMode::kPlay);
  CHECK(t.talk.caption() == "Your pasta timer is done.");
  t.say(Kind::kTtsStop);
  CHECK(t.play() == 16000);
  t.steps(3);
  // Nothing is sent by itself in tap mode.
  CHECK(t.state() == DeviceState::kIdle);
  CHECK(t.session.sent.empty());
  t.reply("Your pasta timer is done.", 16000);  // it rings again
  t.talk.tap(t.mode, t.now);
  CHECK(t.state() == DeviceState::kIdle);
  CHECK(t.session.sent == Sent{"abort"});
  t.say(Kind::kTtsStop);
  t.reply("Anything else?", 160);  // the server may speak again at once
  CHECK(t.state() == DeviceState::kSpeaking);
}

TEST_CASE("push to talk: what was still in the microphone goes out before the stop") {
  Talk t;
  t.talk.hold_begin(t.now);
  t.step();
  t.hear(kUplinkFrameSamples);
  t.step();
  t.talk.hold_end(t.now);
  CHECK(t.state() == DeviceState::kThinking);
  t.hear(kUplinkFrameSamples + 3);  // handed over by the audio thread while it closes
  t.steps(2);
  CHECK(t.session.sent == Sent{"start manual", "stop"});
  CHECK(t.session.samples.size() == 3 * kUplinkFrameSamples);  // the last one filled with silence
  CHECK(t.session.samples.back() == 0);
  CHECK(t.session.samples[2 * kUplinkFrameSamples + 2] == 7);
  t.steps(20);
  CHECK(t.session.sent.size() == 2);
}

TEST_CASE("a hold that is shorter than opening the microphone says nothing") {
  Talk t;
  t.talk.hold_begin(t.now);
  t.talk.hold_end(t.now);
  t.steps(5);
  CHECK(t.session.sent.empty());
  CHECK(t.state() == DeviceState::kIdle);
}

TEST_CASE("a full network holds frames back and loses none") {
  Talk t;
  t.talk.hold_begin(t.now);
  t.step();
  t.session.room = 1;
  t.hear(4 * kUplinkFrameSamples);
  t.steps(3);
  CHECK(t.session.samples.size() == kUplinkFrameSamples);
  t.talk.hold_end(t.now);
  t.steps(3);
  CHECK(t.session.sent == Sent{"start manual"});  // the stop waits for its turn
  t.session.room = 100;
  t.steps(2);
  CHECK(t.session.samples.size() == 4 * kUplinkFrameSamples);
  CHECK(t.session.sent == Sent{"start manual", "stop"});
}

TEST_CASE("a tap interrupts at once, and what was on its way is not heard") {
  Talk t;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.reply("A long story", 16000);
  t.talk.tap(t.mode, t.now);
  CHECK(t.session.sent.back() == "abort");
  CHECK_FALSE(t.link.downlink.active());
  CHECK(t.state() == DeviceState::kIdle);
  t.sound(960);  // sent before the server knew
  t.say(Kind::kSentence, "that goes on");
  t.step();
  CHECK(t.play() == 0);
  CHECK(t.talk.caption() == "A long story");
  t.say(Kind::kTtsStop);
  t.reply("Next.", 960);
  CHECK(t.state() == DeviceState::kSpeaking);
  CHECK(t.talk.caption() == "Next.");
}

TEST_CASE("an interruption whose answer is lost does not make the device deaf") {
  Talk t;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.reply("A", 960);
  t.talk.tap(t.mode, t.now);
  t.steps(1, Conversation::kAbortMs + 10);
  t.reply("B", 960);
  CHECK(t.state() == DeviceState::kSpeaking);
}

TEST_CASE("interrupting in a conversation listens at once") {
  Talk t;
  t.mode = TalkMode::kConversation;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.reply("A long story", 16000);
  t.talk.tap(t.mode, t.now);
  CHECK(t.state() == DeviceState::kListening);
  t.steps(2);
  CHECK(t.session.sent == Sent{"start auto", "abort", "start auto"});
  t.say(Kind::kTtsStop);
  CHECK(t.state() == DeviceState::kListening);
}

TEST_CASE("a finger on the button has the word") {
  Talk t;
  t.talk.hold_begin(t.now);
  t.step();
  t.say(Kind::kTtsStart);
  t.sound(960);
  CHECK(t.state() == DeviceState::kListening);
  CHECK(t.link.wanted == AudioMode::kListen);
}

TEST_CASE("holding into a reply interrupts it and listens") {
  Talk t;
  t.reply("By myself", 960);
  t.talk.hold_begin(t.now);
  t.steps(2);
  CHECK(t.session.sent == Sent{"abort", "start manual"});
}

TEST_CASE("nobody speaks: the microphone does not stay open") {
  Talk t;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.link.voice = true;
  t.steps(1, Conversation::kNobodyMs - 20);
  t.link.voice = false;
  t.steps(1, Conversation::kNobodyMs - 20);  // somebody spoke in between
  CHECK(t.state() == DeviceState::kListening);
  t.steps(2, 40);
  CHECK(t.state() == DeviceState::kIdle);
  CHECK(t.link.wanted == AudioMode::kOff);
  t.steps(2);
  CHECK(t.session.sent.back() == "stop");
}

TEST_CASE("a second tap says: that was all") {
  Talk t;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.link.voice = true;
  t.step();
  t.talk.tap(t.mode, t.now);
  CHECK(t.state() == DeviceState::kThinking);
  t.steps(3);
  CHECK(t.session.sent == Sent{"start auto", "stop"});
}

TEST_CASE("a face instead of words ends the waiting, in a conversation by listening on") {
  Talk t;
  SUBCASE("by tap") { t.mode = TalkMode::kTap; }
  SUBCASE("in a conversation") { t.mode = TalkMode::kConversation; }
  t.talk.tap(t.mode, t.now);
  t.step();
  t.say(Kind::kStt, "la la la");
  t.say(Kind::kLlm);
  t.steps(1, Conversation::kNoReplyMs + 20);
  const bool talks = t.mode == TalkMode::kConversation;
  CHECK(t.state() == (talks ? DeviceState::kListening : DeviceState::kIdle));
  CHECK((t.link.wanted == AudioMode::kListen) == talks);
}

TEST_CASE("no answer at all: the device does not think for ever") {
  Talk t;
  t.talk.hold_begin(t.now);
  t.step();
  t.talk.hold_end(t.now);
  t.steps(2);
  t.steps(1, Conversation::kAnswerMs);
  CHECK(t.state() == DeviceState::kIdle);
}

TEST_CASE("a reply whose end never comes is ended") {
  Talk t;
  t.reply("A", 960);
  t.steps(1, Conversation::kSilenceMs + 10);
  CHECK(t.play() == 960);
  t.steps(2);
  CHECK(t.state() == DeviceState::kIdle);
}

TEST_CASE("the microphone that does not open is told") {
  Talk t;
  t.talk.tap(t.mode, t.now);
  t.now += Conversation::kMicrophoneMs + 1;
  t.talk.step(t.mode, t.now);
  CHECK(t.state() == DeviceState::kIdle);
  CHECK_FALSE(t.talk.caption().empty());
  CHECK(t.session.sent.empty());
}

TEST_CASE("the session is lost") {
  Talk t;
  SUBCASE("while it speaks: what came is played") {
    t.reply("Half of", 3200);
    t.lose();
    CHECK(t.play() == 3200);
    t.steps(2);
    CHECK(t.link.wanted == AudioMode::kOff);
  }
  SUBCASE("while it listens: the microphone closes") {
    t.talk.tap(t.mode, t.now);
    t.step();
    t.lose();
    t.steps(2);
    CHECK(t.link.wanted == AudioMode::kOff);
    CHECK(t.session.sent == Sent{"start auto"});
  }
  CHECK(t.state() == DeviceState::kOffline);
  t.talk.tap(t.mode, t.now);
  CHECK(t.state() == DeviceState::kOffline);
  t.begin();
  CHECK(t.state() == DeviceState::kIdle);
  t.talk.tap(t.mode, t.now);
  CHECK(t.state() == DeviceState::kListening);
}

TEST_CASE("a reply that still plays when the next session begins is spoken to its end") {
  Talk t;
  t.reply("Half of", 3200);
  t.lose();
  t.steps(2);
  CHECK(t.state() == DeviceState::kOffline);
  CHECK(t.link.wanted == AudioMode::kPlay);
  t.begin();
  CHECK(t.state() == DeviceState::kSpeaking);
  CHECK(t.play() == 3200);
  t.steps(2);
  CHECK(t.state() == DeviceState::kIdle);
  CHECK(t.link.wanted == AudioMode::kOff);
}

TEST_CASE("the server learns when the first sound was heard, by the device's clock") {
  Talk t;
  t.reply("A", 960);
  const Millis arrived = t.now - 10;
  t.link.first_sound = first_sound_mark(1, arrived + 85);
  t.steps(3);
  CHECK(t.session.sent == Sent{"playing 85"});
}

TEST_CASE("audio that belongs to no reply is dropped, odd bytes are no sample") {
  Talk t;
  t.sound(960);
  CHECK(t.play() == 0);
  t.say(Kind::kTtsStart);
  const std::array<unsigned char, 5> bytes{1, 0, 2, 0, 9};
  t.talk.audio(Bytes(bytes.data(), bytes.size()), t.now);
  t.talk.audio(Bytes(bytes.data() + 1, 1), t.now);
  t.say(Kind::kTtsStop);
  CHECK(t.play() == 2);
}

TEST_CASE("an alert is shown, also after an interruption") {
  Talk t;
  t.reply("A", 960);
  t.talk.tap(t.mode, t.now);
  t.say(Kind::kAlert, "I cannot think right now.");
  CHECK(t.talk.caption() == "I cannot think right now.");
}

TEST_CASE("in wake-word mode only voices are sent, with what came just before them") {
  Talk t;
  t.mode = TalkMode::kWakeWord;
  t.steps(5);
  CHECK(t.session.sent.empty());  // the server does not offer it: a tap is needed
  CHECK(t.link.wanted == AudioMode::kOff);
  t.session.finds_wake_word = true;
  t.steps(2);
  CHECK(t.session.sent == Sent{"start wake_word"});
  CHECK(t.state() == DeviceState::kIdle);
  t.hear(15000);
  t.steps(2);
  CHECK(t.session.samples.empty());
  t.link.voice = true;
  t.step();
  CHECK(t.session.samples.size() == samples_of(Conversation::kPrerollMs));
  t.say(Kind::kStt, "Hi Lo-Bug");
  CHECK(t.state() == DeviceState::kThinking);
  t.reply("Yes?", 960);
  t.say(Kind::kTtsStop);
  t.play();
  t.steps(4);
  CHECK(t.state() == DeviceState::kIdle);
  CHECK(t.session.sent == Sent{"start wake_word", "start wake_word"});
  t.mode = TalkMode::kTap;
  t.steps(2);
  CHECK(t.link.wanted == AudioMode::kOff);
  CHECK(t.session.sent.back() == "stop");
}

TEST_CASE("in wake-word mode a tap still opens an ordinary utterance") {
  Talk t;
  t.mode = TalkMode::kWakeWord;
  t.session.finds_wake_word = true;
  t.steps(2);
  t.talk.tap(t.mode, t.now);
  t.steps(2);
  CHECK(t.session.sent == Sent{"start wake_word", "start auto"});
  CHECK(t.state() == DeviceState::kListening);
}

TEST_CASE("a television that is not listened to does not keep the microphone open") {
  Talk t;
  t.mode = TalkMode::kConversation;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.link.voice = true;
  t.steps(static_cast<int>(Conversation::kUnheardMs / 1000) - 1, 1000);
  CHECK(t.state() == DeviceState::kListening);
  t.steps(static_cast<int>(Conversation::kNobodyMs / 1000) + 2, 1000);
  CHECK(t.state() == DeviceState::kIdle);
  CHECK(t.link.wanted == AudioMode::kOff);
}

TEST_CASE("a reply that sets out just when it is interrupted is not heard") {
  Talk t;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.say(Kind::kStt, "Tell me a story");
  t.talk.tap(t.mode, t.now);
  CHECK(t.session.sent.back() == "abort");
  t.say(Kind::kTtsStart);
  t.sound(960);
  CHECK(t.play() == 0);
  CHECK(t.state() == DeviceState::kIdle);
  t.steps(1, Conversation::kThoughtMs + 10);
  t.reply("Something new", 960);
  CHECK(t.state() == DeviceState::kSpeaking);
}
