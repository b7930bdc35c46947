// From a finger's coming down to the gesture it turns out to be: no word is lost, none sent
// unasked.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "device/scripted_talk.h"
#include "lobug/audio/audio_pump.h"
#include "lobug/ui/gesture.h"
#include "support/scripted_sound.h"

using namespace lobug;
using lobug::test::Talk;
using Sent = std::vector<std::string>;
using Kind = ServerMessage::Kind;

namespace {

/// Device and audio thread at their own pace, and a room in which somebody speaks from the moment
/// of the press: the n-th millisecond of speech has the value n.
struct Room {
  Talk talk;
  SoundBench sound;
  ScriptedMicrophone microphone{sound};
  ScriptedSpeaker speaker{sound};
  AudioPump pump{talk.link, microphone, speaker};
  Millis now = 1000;
  Millis pressed_at = 0;

  ~Room() { CHECK(sound.fault == ""); }

  /// One millisecond after the other. `device_phase`, `audio_phase`: when the threads come round.
  void run(Millis ms, Millis device_phase = 0, Millis audio_phase = 0) {
    for (; ms > 0; --ms) {
      if ((now + audio_phase) % 5 == 0) pump.step(now);
      if ((now + device_phase) % 10 == 0) talk.talk.step(talk.mode, now);
      const Millis moment = now - pressed_at;
      microphone.source = [moment](std::size_t) { return static_cast<std::int16_t>(moment); };
      microphone.advance(kSampleRate / 1000);
      speaker.advance(kSampleRate / 1000);
      ++now;
    }
  }
  void press() {
    pressed_at = now;
    talk.talk.press(now);
  }
};

}  // namespace

TEST_CASE("push to talk: of speech from 50 ms after the press on, not a sample is lost") {
  for (Millis device_phase = 0; device_phase < 10; ++device_phase) {
    for (Millis audio_phase = 0; audio_phase < 5; ++audio_phase) {
      CAPTURE(device_phase);
      CAPTURE(audio_phase);
      Room room;
      room.run(100, device_phase, audio_phase);
      room.press();
      room.run(GestureSense::kHoldMs, device_phase, audio_phase);
      CHECK(room.talk.session.sent.empty());
      CHECK(room.talk.session.samples.empty());
      CHECK(room.talk.link.actual == AudioMode::kListen);
      room.talk.talk.hold_begin(room.now);
      room.run(600, device_phase, audio_phase);
      room.talk.talk.hold_end(room.now);
      room.run(200, device_phase, audio_phase);
      CHECK(room.talk.session.sent == Sent{"start manual", "stop"});
      const auto& heard = room.talk.session.samples;
      REQUIRE(heard.size() > samples_of(900));
      CHECK(heard.front() <= 50);
      // Sixteen samples of each millisecond, one after the other, up to the release.
      std::size_t wrong = 0;
      const auto first = static_cast<std::size_t>(heard.front());
      for (std::size_t n = 0; n < samples_of(1000 - static_cast<std::uint32_t>(first)); ++n) {
        if (static_cast<std::size_t>(heard[n]) != first + n / 16) ++wrong;
      }
      CHECK(wrong == 0);
      CHECK(room.talk.link.uplink_lost == 0);
    }
  }
}

TEST_CASE("a tap that begins to listen sends what was said since the press, too") {
  Room room;
  room.press();
  room.run(150);
  room.talk.talk.tap(room.talk.mode, room.now);
  room.run(300);
  CHECK(room.talk.session.sent == Sent{"start auto"});
  REQUIRE_FALSE(room.talk.session.samples.empty());
  CHECK(room.talk.session.samples.front() <= 50);
}

TEST_CASE("after a reply was interrupted by the press, 150 ms are lost and no more") {
  Room room;
  room.talk.reply("A long story.", 32000);
  room.run(300);
  REQUIRE(room.speaker.open);
  room.press();
  CHECK(room.talk.session.sent.back() == "abort");
  room.run(GestureSense::kHoldMs);
  CHECK_FALSE(room.speaker.open);
  room.talk.talk.hold_begin(room.now);
  room.run(500);
  CHECK(room.talk.session.sent.back() == "start manual");
  REQUIRE_FALSE(room.talk.session.samples.empty());
  CHECK(room.talk.session.samples.front() >= 150);
  CHECK(room.talk.session.samples.front() <= 200);
}

TEST_CASE("what a finger that slid away let the microphone hear is never sent") {
  Talk t;
  t.talk.press(t.now);
  t.step();
  CHECK(t.link.actual == AudioMode::kListen);
  CHECK(t.state() == DeviceState::kIdle);
  t.hear(3 * kUplinkFrameSamples, 5);
  t.steps(10);
  t.talk.press_end();
  t.steps(3);
  CHECK(t.link.actual == AudioMode::kOff);
  CHECK(t.link.uplink.size() == 0);
  CHECK(t.session.sent.empty());
  CHECK(t.session.samples.empty());
  // Nor by what follows.
  t.talk.hold_begin(t.now);
  t.step();
  t.hear(kUplinkFrameSamples, 9);
  t.step();
  CHECK(t.session.samples == std::vector<std::int16_t>(kUplinkFrameSamples, 9));
}

TEST_CASE("a press whose end never comes does not leave the microphone open") {
  Talk t;
  t.talk.press(t.now);
  t.steps(10);
  CHECK(t.link.actual == AudioMode::kListen);
  t.steps(Conversation::kPressMs / 10);
  CHECK(t.link.actual == AudioMode::kOff);
  CHECK(t.session.sent.empty());
}

TEST_CASE("a press while it speaks silences it; the tap that follows asks for no more") {
  Talk t;
  t.reply("A long story.", 16000);
  t.talk.press(t.now);
  CHECK(t.state() == DeviceState::kIdle);
  CHECK(t.session.sent == Sent{"abort"});
  t.steps(8);
  t.talk.tap(t.mode, t.now);
  t.steps(5);
  CHECK(t.state() == DeviceState::kIdle);
  CHECK(t.link.actual == AudioMode::kOff);
  CHECK(t.session.sent == Sent{"abort"});
  t.say(Kind::kTtsStop);
  t.talk.press(t.now);
  t.step();
  t.talk.tap(t.mode, t.now);
  t.step();
  CHECK(t.state() == DeviceState::kListening);
}

TEST_CASE("in a conversation the tap that interrupts listens, from the press on") {
  Talk t;
  t.mode = TalkMode::kConversation;
  t.reply("A long story.", 16000);
  t.talk.press(t.now);
  t.step();
  t.hear(kUplinkFrameSamples, 3);
  t.talk.tap(t.mode, t.now);
  t.steps(2);
  CHECK(t.session.sent == Sent{"abort", "start auto"});
  CHECK(t.session.samples == std::vector<std::int16_t>(kUplinkFrameSamples, 3));
}

TEST_CASE("a press while it listens holds the sound back until the gesture is known") {
  Talk t;
  t.talk.tap(t.mode, t.now);
  t.step();
  t.hear(kUplinkFrameSamples, 1);
  t.step();
  t.talk.press(t.now);
  t.hear(kUplinkFrameSamples, 2);
  t.steps(3);
  CHECK(t.session.samples.size() == kUplinkFrameSamples);
  SUBCASE("a hold begins anew, with what came since the press") {
    t.talk.hold_begin(t.now);
    t.step();
    CHECK(t.session.sent == Sent{"start auto", "start manual"});
  }
  SUBCASE("a tap ends the utterance with it") {
    t.link.voice = true;
    t.step();
    t.talk.tap(t.mode, t.now);
    t.steps(2);
    CHECK(t.session.sent == Sent{"start auto", "stop"});
  }
  SUBCASE("a slide changes nothing") {
    t.talk.press_end();
    t.step();
    CHECK(t.session.sent == Sent{"start auto"});
    CHECK(t.link.actual == AudioMode::kListen);
  }
  CHECK(t.session.samples.size() == 2 * kUplinkFrameSamples);
  CHECK(t.session.samples.back() == 2);
}

TEST_CASE("a reply that begins while a finger is down takes the press back") {
  Talk t;
  t.talk.press(t.now);
  t.step();
  t.reply("Your pasta timer is done.", 16000);
  CHECK(t.state() == DeviceState::kSpeaking);
  t.talk.hold_begin(t.now);
  CHECK(t.session.sent == Sent{"abort"});
  t.steps(2);
  CHECK(t.state() == DeviceState::kListening);
}

TEST_CASE("waiting for the wake word: a press keeps the microphone open, before and after it") {
  Talk t;
  t.mode = TalkMode::kWakeWord;
  t.session.finds_wake_word = true;
  t.steps(3);
  REQUIRE(t.session.sent == Sent{"start wake_word"});
  t.talk.press(t.now);
  t.link.voice = true;
  t.hear(2 * kUplinkFrameSamples, 4);
  t.steps(3);
  CHECK(t.session.samples.empty());
  SUBCASE("slide") {
    t.talk.press_end();
    t.step();
    CHECK(t.link.actual == AudioMode::kListen);
    CHECK(t.session.sent == Sent{"start wake_word"});
  }
  SUBCASE("hold") {
    t.talk.hold_begin(t.now);
    t.step();
    CHECK(t.session.sent == Sent{"start wake_word", "start manual"});
  }
  CHECK(t.session.samples == std::vector<std::int16_t>(2 * kUplinkFrameSamples, 4));
}

TEST_CASE("a press without a session opens nothing") {
  Talk t;
  t.lose();
  t.talk.press(t.now);
  t.steps(3);
  CHECK(t.link.actual == AudioMode::kOff);
  t.begin();
  t.talk.press(t.now);
  t.step();
  t.lose();
  t.step();
  CHECK(t.link.actual == AudioMode::kOff);
}
