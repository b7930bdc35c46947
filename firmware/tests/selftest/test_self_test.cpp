// The procedure of the self-test, with the real pump on a scripted microphone and speaker.
#include <doctest/doctest.h>

#include <vector>

#include "lobug/audio/audio_pump.h"
#include "lobug/selftest/judgement.h"
#include "lobug/selftest/self_test.h"
#include "support/scripted_sound.h"
#include "support/scripted_vitals.h"

using namespace lobug;
using Phase = SelfTestState::Phase;

namespace {

constexpr Millis kStep = 5;

struct Bench {
  std::vector<std::int16_t> uplink = std::vector<std::int16_t>(samples_of(2000) + 1);
  std::vector<std::int16_t> downlink = std::vector<std::int16_t>(samples_of(1000) + 1);
  AudioLink audio{{uplink.data(), uplink.size()}, {downlink.data(), downlink.size()}};
  SoundBench sound;
  ScriptedMicrophone microphone{sound};
  ScriptedSpeaker speaker{sound};
  AudioPump pump{audio, microphone, speaker};
  ScreenLink screen;
  test::ScriptedVitals vitals;
  SelfTest test{vitals, audio, screen};
  View view;
  Motion motion;
  Millis now = 1000;

  Bench() {
    view.wifi = true;
    view.wifi_dbm = -60;
    view.battery = 80;
    view.battery_known = true;
    screen.frames = 7;  // of the time before
    screen.touches = 1;
  }
  void run(Millis ms) {
    for (Millis passed = 0; passed < ms && test.running(); passed += kStep) {
      pump.step(now);
      if (passed % 40 == 0) ++screen.frames;
      if (passed % 20 == 0) ++motion.readings;
      if (passed % 10 == 0) test.step(view, motion, now);
      now += kStep;
      microphone.advance(kStep * kSampleRate / 1000);
      speaker.advance(kStep * kSampleRate / 1000);
    }
  }
  Verdict verdict(TestItem item) const {
    return judge(test.state().measured)[static_cast<std::size_t>(item)].verdict;
  }
};

}  // namespace

TEST_CASE("the self-test measures, leaves nothing open, and says that all is well") {
  Bench bench;
  CHECK(bench.test.state().phase == Phase::kNone);
  bench.test.begin(bench.motion, bench.now);
  CHECK(bench.test.running());
  bench.run(10000);
  REQUIRE(bench.test.state().phase == Phase::kDone);
  CHECK(bench.test.state().run == 1);
  const Measurements& m = bench.test.state().measured;
  CHECK(m.to_speaker_ms.value_or(9999) <= 120);
  CHECK(m.to_microphone_ms.has_value());
  CHECK(m.frames_per_s.value_or(0) >= 20);
  CHECK(m.frames_per_s.value_or(0) <= 26);
  CHECK(m.motion_readings > 20);
  CHECK(m.gravity_mg == 1000);
  CHECK(bench.verdict(TestItem::kPsram) == Verdict::kFine);
  CHECK(bench.verdict(TestItem::kSpeaker) == Verdict::kFine);
  CHECK(bench.verdict(TestItem::kSignal) == Verdict::kFine);
  CHECK(bench.audio.wanted.load() == AudioMode::kOff);
  CHECK(bench.audio.uplink.size() == 0);
  for (int round = 0; round < 100; ++round) bench.pump.step(bench.now += kStep);
  CHECK(bench.audio.actual.load() == AudioMode::kOff);
}

TEST_CASE("a microphone that does not open, and a speaker that does not, are told of") {
  Bench bench;
  bench.microphone.failing_starts = bench.speaker.failing_starts = 1000;
  bench.test.begin(bench.motion, bench.now);
  bench.run(20000);
  REQUIRE(bench.test.state().phase == Phase::kDone);
  CHECK_FALSE(bench.test.state().measured.before.has_value());
  CHECK(bench.verdict(TestItem::kMicrophone) == Verdict::kBad);
  CHECK(bench.verdict(TestItem::kSpeaker) == Verdict::kBad);
}

TEST_CASE("a motion sensor that does not answer, and a screen that does not draw") {
  Bench bench;
  bench.screen.frames = 0;
  bench.test.begin(bench.motion, bench.now);
  for (int round = 0; round < 4000 && bench.test.running(); ++round) {
    bench.pump.step(bench.now);
    bench.test.step(bench.view, bench.motion, bench.now);
    bench.now += kStep;
    bench.microphone.advance(kStep * kSampleRate / 1000);
    bench.speaker.advance(kStep * kSampleRate / 1000);
  }
  REQUIRE(bench.test.state().phase == Phase::kDone);
  CHECK(bench.verdict(TestItem::kMotion) == Verdict::kBad);
  CHECK(bench.verdict(TestItem::kFrames) == Verdict::kNotMeasured);
}

TEST_CASE("who needs the microphone meanwhile stops it; what he asked for stays") {
  Bench bench;
  bench.test.begin(bench.motion, bench.now);
  bench.run(200);
  bench.audio.wanted = AudioMode::kPlay;
  bench.test.stop(false);
  CHECK(bench.test.state().phase == Phase::kStopped);
  CHECK(bench.audio.wanted.load() == AudioMode::kPlay);
  bench.test.begin(bench.motion, bench.now);
  CHECK(bench.test.state().run == 2);
  bench.run(200);
  bench.test.stop(true);
  CHECK(bench.audio.wanted.load() == AudioMode::kOff);
  bench.test.refuse();
  CHECK(bench.test.state().phase == Phase::kRefused);
  CHECK(bench.test.state().run == 3);
}

TEST_CASE("a microphone that was open for the wake word is open again") {
  Bench bench;
  bench.audio.wanted = AudioMode::kListen;
  bench.test.begin(bench.motion, bench.now);
  bench.run(10000);
  REQUIRE(bench.test.state().phase == Phase::kDone);
  CHECK(bench.audio.wanted.load() == AudioMode::kListen);
}
