#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "lobug/audio/audio_pump.h"
#include "support/scripted_sound.h"

using namespace lobug;

namespace {

constexpr Millis kStep = 5;
constexpr auto samples_per_ms = static_cast<std::size_t>(kSampleRate / 1000);

struct PumpBench {
  explicit PumpBench(std::uint32_t uplink_ms = 1000, std::uint32_t downlink_ms = 3000)
      : uplink(samples_of(uplink_ms) + 1),
        downlink(samples_of(downlink_ms) + 1),
        link({uplink.data(), uplink.size()}, {downlink.data(), downlink.size()}, 120),
        microphone(sound),
        speaker(sound),
        pump(link, microphone, speaker) {}
  ~PumpBench() { CHECK(sound.fault == ""); }

  /// Time passes; the pump is called every few milliseconds.
  void run(Millis ms, Millis step = kStep) {
    for (Millis passed = 0; passed < ms; passed += step) {
      pump.step(now);
      now += step;
      microphone.advance(step * samples_per_ms);
      speaker.advance(step * samples_per_ms);
    }
  }
  void want(AudioMode mode) { link.wanted = mode; }
  AudioMode actual() const { return link.actual.load(); }
  void reply(std::uint32_t ms, std::int16_t value) {
    const std::vector<std::int16_t> samples(samples_of(ms), value);
    REQUIRE(link.downlink.add({samples.data(), samples.size()}) == samples.size());
  }
  std::vector<std::int16_t> recorded() {
    std::vector<std::int16_t> into(link.uplink.size());
    link.uplink.read({into.data(), into.size()});
    return into;
  }
  std::size_t sounded(std::int16_t value) const {
    return static_cast<std::size_t>(
        std::count(speaker.sounded.begin(), speaker.sounded.end(), value));
  }
  std::size_t any_sound() const { return speaker.sounded.size() - sounded(0); }

  std::vector<std::int16_t> uplink;
  std::vector<std::int16_t> downlink;
  AudioLink link;
  SoundBench sound;
  ScriptedMicrophone microphone;
  ScriptedSpeaker speaker;
  AudioPump pump;
  Millis now = 1000;
};

}  // namespace

TEST_CASE("the pump opens nothing that nobody wants") {
  PumpBench bench;
  bench.run(500);
  CHECK(bench.actual() == AudioMode::kOff);
  CHECK(bench.microphone.starts == 0);
  CHECK(bench.speaker.starts == 0);
}

TEST_CASE("listening hands over every sample behind the settling time, in order and whole") {
  for (const Millis step : {2U, 5U, 10U, 20U}) {
    CAPTURE(step);
    PumpBench bench;
    bench.want(AudioMode::kListen);
    bench.run(1000, step);
    CHECK(bench.actual() == AudioMode::kListen);
    const std::vector<std::int16_t> heard = bench.recorded();
    REQUIRE(heard.size() >= samples_of(800));
    CHECK(heard.size() % kUplinkFrameSamples == 0);
    // No speaker was on: one frame is thrown away.
    std::size_t wrong = 0;
    for (std::size_t n = 0; n < heard.size(); ++n) {
      if (heard[n] != ScriptedMicrophone::ramp(samples_of(20) + n)) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(bench.microphone.overrun == 0);
    CHECK(bench.link.uplink_lost == 0);
  }
}

TEST_CASE(
    "closing the microphone hands over what it still holds, and the next opening settles anew") {
  PumpBench bench;
  bench.want(AudioMode::kListen);
  bench.run(400);
  bench.want(AudioMode::kOff);
  bench.run(10);
  CHECK(bench.actual() == AudioMode::kListen);  // it is still open, and says so
  bench.run(60);
  CHECK(bench.actual() == AudioMode::kOff);
  CHECK_FALSE(bench.microphone.open);
  CHECK(bench.link.level == 0);
  CHECK_FALSE(bench.link.voice);
  const std::vector<std::int16_t> heard = bench.recorded();
  // All up to the wish to close, and no more than the two buffers that were queued then.
  CHECK(heard.size() >= samples_of(400 - 20));
  CHECK(heard.size() <= samples_of(400 - 20 + 40));
  CHECK(std::count(heard.begin(), heard.end(), ScriptedMicrophone::kPoison) == 0);

  bench.want(AudioMode::kListen);
  bench.run(400);
  CHECK(bench.recorded().front() == ScriptedMicrophone::ramp(samples_of(20)));
}

TEST_CASE("after the speaker was on, what is heard within 150 ms of its end is thrown away") {
  for (const Millis pause : {0U, 60U, 100U, 150U, 5000U}) {
    CAPTURE(pause);
    PumpBench bench;
    bench.want(AudioMode::kPlay);
    bench.run(50);
    bench.want(AudioMode::kOff);
    bench.run(5);
    REQUIRE_FALSE(bench.speaker.open);
    bench.run(pause);
    bench.want(AudioMode::kListen);
    bench.run(500);
    const std::size_t first = static_cast<std::size_t>(bench.recorded().front());
    const std::size_t passed = samples_of(pause);
    CHECK(first + passed >= samples_of(150));
    CHECK(first >= samples_of(20));
    if (first > samples_of(20)) CHECK(first + passed <= samples_of(150 + kUplinkFrameMs));
  }
}

TEST_CASE("who changes his mind while the microphone is being closed loses nothing") {
  PumpBench bench;
  bench.want(AudioMode::kListen);
  bench.run(400);
  bench.want(AudioMode::kOff);
  bench.run(10);
  bench.want(AudioMode::kListen);
  bench.run(300);
  const std::vector<std::int16_t> heard = bench.recorded();
  std::size_t wrong = 0;
  for (std::size_t n = 0; n < heard.size(); ++n) {
    if (heard[n] != ScriptedMicrophone::ramp(samples_of(20) + n)) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(bench.microphone.starts == 1);
}

TEST_CASE("a microphone that delivers nothing more is closed all the same") {
  PumpBench bench;
  bench.want(AudioMode::kListen);
  bench.run(300);
  bench.microphone.dead = true;
  bench.want(AudioMode::kOff);
  bench.run(90);
  CHECK(bench.actual() == AudioMode::kListen);
  bench.run(30);
  CHECK(bench.actual() == AudioMode::kOff);
}

TEST_CASE("a full uplink loses whole frames and counts them") {
  PumpBench bench(100);
  bench.want(AudioMode::kListen);
  bench.run(20 + 100 + 60 + 40);
  CHECK(bench.recorded().size() == samples_of(100));
  CHECK(bench.link.uplink_lost.load() % kUplinkFrameSamples == 0);
  CHECK(bench.link.uplink_lost.load() >= samples_of(60));
}

TEST_CASE("a microphone that does not open is tried again, not at every step") {
  PumpBench bench;
  bench.microphone.failing_starts = 2;
  bench.want(AudioMode::kListen);
  bench.run(490);
  CHECK(bench.microphone.failing_starts == 1);
  CHECK(bench.actual() == AudioMode::kOff);
  bench.run(600);
  CHECK(bench.actual() == AudioMode::kListen);
}

TEST_CASE("a reply is played to its last sample before the microphone opens") {
  PumpBench bench;
  bench.want(AudioMode::kPlay);
  bench.run(50);
  CHECK(bench.actual() == AudioMode::kPlay);
  bench.link.downlink.begin();
  bench.reply(500, 700);
  bench.link.downlink.end();
  bench.want(AudioMode::kListen);
  bench.run(300);
  CHECK(bench.actual() == AudioMode::kPlay);
  CHECK_FALSE(bench.microphone.open);
  bench.run(500);
  CHECK(bench.actual() == AudioMode::kListen);
  CHECK(bench.sounded(700) == samples_of(500));
  CHECK(bench.speaker.cut == 0);
}

TEST_CASE("a reply of an odd length is not padded and not cut") {
  PumpBench bench;
  bench.want(AudioMode::kPlay);
  bench.link.downlink.begin();
  bench.reply(333, 7);
  bench.link.downlink.end();
  bench.run(500);
  CHECK(bench.sounded(7) == samples_of(333));
  bench.want(AudioMode::kOff);
  bench.run(100);
  CHECK(bench.speaker.cut == 0);
  CHECK(bench.actual() == AudioMode::kOff);
}

TEST_CASE("playback has no gaps while the reply is there") {
  PumpBench bench;
  bench.want(AudioMode::kPlay);
  bench.link.downlink.begin();
  bench.reply(2000, 9);
  bench.link.downlink.end();
  bench.run(2300, 10);
  const auto first = std::find(bench.speaker.sounded.begin(), bench.speaker.sounded.end(), 9);
  const auto last = std::find(bench.speaker.sounded.rbegin(), bench.speaker.sounded.rend(), 9);
  CHECK(last.base() - first == static_cast<std::ptrdiff_t>(samples_of(2000)));
}

TEST_CASE("the pauses of a reply whose rest came late are measured; its end is none") {
  PumpBench bench;
  bench.link.downlink.begin();
  bench.want(AudioMode::kPlay);
  bench.reply(200, 100);
  bench.run(700);  // 200 ms of sound, then 500 ms of waiting
  CHECK(bench.link.late_ms.load() == 0);
  bench.reply(300, 100);
  bench.run(700);
  const std::uint32_t late = bench.link.late_ms.load();
  CHECK(late > 450);
  CHECK(late < 600);
  CHECK(bench.link.downlink.starved() == 1);
  bench.link.downlink.end();
  bench.run(300);
  bench.link.downlink.begin();
  bench.reply(200, 100);
  bench.link.downlink.end();
  bench.run(700);
  CHECK(bench.link.late_ms.load() == late);
}

TEST_CASE("a reply that is interrupted while it is late was not late for ever") {
  PumpBench bench;
  bench.link.downlink.begin();
  bench.want(AudioMode::kPlay);
  bench.reply(200, 100);
  bench.run(700);
  bench.link.downlink.begin();
  bench.reply(200, 100);
  bench.run(300);
  CHECK(bench.link.late_ms.load() == 0);
}

TEST_CASE("an interruption is silence at once, and the microphone opens in the same step") {
  PumpBench bench;
  bench.want(AudioMode::kPlay);
  bench.link.downlink.begin();
  bench.reply(2000, 7);
  bench.run(500);
  bench.link.downlink.discard();
  bench.want(AudioMode::kListen);
  bench.pump.step(bench.now);
  CHECK(bench.speaker.silenced == 1);
  CHECK_FALSE(bench.speaker.open);
  CHECK(bench.actual() == AudioMode::kListen);
  const std::size_t before = bench.sounded(7);
  bench.run(500);
  CHECK(bench.sounded(7) == before);
}

TEST_CASE("an interruption while nothing wants to listen leaves the speaker open and silent") {
  PumpBench bench;
  bench.want(AudioMode::kPlay);
  bench.link.downlink.begin();
  bench.reply(2000, 7);
  bench.run(500);
  const std::size_t before = bench.sounded(7);
  bench.link.downlink.discard();
  bench.run(300);
  CHECK(bench.actual() == AudioMode::kPlay);
  CHECK(bench.sounded(7) <= before + ScriptedSpeaker::kDma);  // what the I2S held
  CHECK(bench.link.level == 0);
}

TEST_CASE("a reply that replaces another is heard from its first sample, the old one no more") {
  PumpBench bench;
  bench.want(AudioMode::kPlay);
  bench.link.downlink.begin();
  bench.reply(2000, 7);
  bench.run(500);
  const std::size_t before = bench.sounded(7);
  bench.link.downlink.begin();
  bench.reply(400, 8);
  bench.link.downlink.end();
  bench.run(700);
  CHECK(bench.sounded(7) <= before + ScriptedSpeaker::kDma);
  CHECK(bench.sounded(8) == samples_of(400));
}

TEST_CASE("the first sound of each reply is announced once, with time and generation") {
  PumpBench bench;
  bench.want(AudioMode::kPlay);
  bench.link.downlink.begin();
  bench.run(100);
  CHECK(bench.link.first_sound == 0);
  bench.reply(60, 7);
  bench.run(100);
  CHECK(bench.link.first_sound == 0);  // the prefill is not there
  const Millis at = bench.now;
  bench.reply(200, 7);
  bench.run(100);
  CHECK(bench.link.first_sound == first_sound_mark(bench.link.downlink.generation(), at));
  const std::uint32_t first = bench.link.first_sound;
  bench.reply(200, 7);
  bench.run(100);
  CHECK(bench.link.first_sound == first);
  bench.link.downlink.begin();
  bench.reply(200, 8);
  const Millis second = bench.now;
  bench.run(100);
  CHECK(bench.link.first_sound == first_sound_mark(bench.link.downlink.generation(), second));
}

TEST_CASE("a first sound's mark tells its moment, right across the wrap of the clock") {
  for (const Millis since : {0U, 1000U, 0xFFFFU, 0x1FFFFU, 0xFFFFFF00U}) {
    for (const Millis later : {0U, 1U, 85U, 20000U, 65535U}) {
      CHECK(first_sound_at(first_sound_mark(7, since + later), since) == since + later);
    }
  }
  CHECK(first_sound_mark(7, 1000) != first_sound_mark(8, 1000));
  CHECK(first_sound_mark(7, 1000) != first_sound_mark(7, 1001));
}

TEST_CASE("the mouth follows what leaves the speaker's queue, not what enters it") {
  // Without the I2S's own memory: 20 ms of silence, then loud. Two buffers wait, so that the loud
  // one is at the front only 20 ms after it was given.
  PumpBench bench;
  bench.want(AudioMode::kPlay);
  bench.link.downlink.begin();
  bench.reply(400, 0);
  bench.reply(400, 12000);
  bench.link.downlink.end();
  Millis opened = 0;
  Millis closed = 0;
  for (Millis ms = 0; ms < 1200; ms += kStep) {
    bench.run(kStep);
    if (opened == 0 && bench.link.level > 0) opened = ms;
    if (opened != 0 && closed == 0 && bench.link.level == 0) closed = ms;
  }
  const auto loud = std::find(bench.speaker.sounded.begin(), bench.speaker.sounded.end(), 12000);
  const Millis heard =
      milliseconds_of(static_cast<std::size_t>(loud - bench.speaker.sounded.begin()));
  // The mouth may be ahead by what the I2S holds, never behind by more than a buffer and a step.
  CHECK(opened + 43 + kStep >= heard);
  CHECK(opened <= heard + kUplinkFrameMs + kStep);
  CHECK(closed - opened >= 350);
  CHECK(closed - opened <= 450);
}

TEST_CASE("the level follows what the microphone hears") {
  PumpBench bench;
  bench.microphone.source = [](std::size_t n) {
    return static_cast<std::int16_t>(n < samples_of(500) ? 0 : ((n / 8) % 2 == 0 ? 8000 : -8000));
  };
  bench.want(AudioMode::kListen);
  bench.run(450);
  CHECK(bench.link.level == 0);
  CHECK_FALSE(bench.link.voice);
  bench.run(300);
  CHECK(bench.link.level > 200);
  CHECK(bench.link.voice);
}

TEST_CASE("the volume is set when the speaker opens and whenever it changes") {
  PumpBench bench;
  bench.want(AudioMode::kPlay);
  bench.run(20);
  CHECK(bench.speaker.volume == 70);
  bench.link.volume = 25;
  bench.run(10);
  CHECK(bench.speaker.volume == 25);
  bench.link.volume = 200;
  bench.run(10);
  CHECK(bench.speaker.volume == 100);
}

TEST_CASE("beeps sound alone when nothing else does, and the speaker closes behind them") {
  PumpBench bench;
  bench.link.beeps = 2;
  bench.run(100);
  CHECK(bench.link.beeps == 0);
  CHECK(bench.actual() == AudioMode::kPlay);
  bench.run(600);
  CHECK(bench.actual() == AudioMode::kOff);
  CHECK(bench.speaker.cut == 0);
  // 120 ms, 100 ms of pause, 120 ms; a sine has a zero here and there.
  CHECK(bench.any_sound() >= samples_of(200));
  CHECK(bench.any_sound() <= samples_of(240));
  const auto [low, high] =
      std::minmax_element(bench.speaker.sounded.begin(), bench.speaker.sounded.end());
  CHECK(*high > 7000);
  CHECK(*high <= 8000);
  CHECK(*low < -7000);
}

TEST_CASE("a beep sounds over a reply, which loses nothing by it") {
  PumpBench bench;
  bench.want(AudioMode::kPlay);
  bench.link.downlink.begin();
  bench.reply(1000, 100);
  bench.link.downlink.end();
  bench.run(300);
  bench.link.beeps = 1;
  bench.run(1000);
  CHECK(bench.any_sound() >= samples_of(1000) - 40);
  CHECK(bench.any_sound() <= samples_of(1000));
  CHECK(*std::max_element(bench.speaker.sounded.begin(), bench.speaker.sounded.end()) > 7000);
}

TEST_CASE("a beep is not cut off by a reply that begins, nor by one that is discarded") {
  PumpBench bench;
  bench.link.beeps = 1;
  bench.run(30);
  bench.link.downlink.begin();
  bench.run(30);
  bench.link.downlink.discard();
  bench.run(300);
  CHECK(bench.speaker.silenced == 0);
  CHECK(bench.any_sound() >= samples_of(100));
}

TEST_CASE("a beep waits while somebody speaks, then the microphone pauses for it") {
  PumpBench bench;
  bench.microphone.source = [](std::size_t n) {
    const bool speaks = n > samples_of(200) && n < samples_of(1000);
    return static_cast<std::int16_t>(speaks ? ((n / 8) % 2 == 0 ? 8000 : -8000) : 0);
  };
  bench.want(AudioMode::kListen);
  bench.run(500);
  REQUIRE(bench.link.voice);
  bench.link.beeps = 1;
  bench.run(400);
  CHECK(bench.actual() == AudioMode::kListen);
  CHECK(bench.speaker.starts == 0);
  bench.run(900);
  CHECK(bench.speaker.starts == 1);
  CHECK(bench.any_sound() > samples_of(100));
  CHECK(bench.actual() == AudioMode::kListen);
  CHECK(bench.microphone.starts == 2);
}

TEST_CASE("a speaker that does not open does not hold up the reply, nor the microphone") {
  PumpBench bench;
  bench.speaker.failing_starts = 1000;
  bench.want(AudioMode::kPlay);
  bench.link.downlink.begin();
  bench.reply(2000, 7);
  bench.link.downlink.end();
  bench.link.beeps = 1;
  bench.run(100);
  CHECK_FALSE(bench.link.downlink.active());
  CHECK(bench.link.first_sound == 0);
  CHECK(bench.actual() == AudioMode::kOff);
  bench.want(AudioMode::kListen);
  bench.run(50);
  CHECK(bench.actual() == AudioMode::kListen);
  CHECK(bench.speaker.failing_starts >= 998);
}

TEST_CASE("microphone and speaker are never open together, whatever is wanted in whatever order") {
  PumpBench bench;
  std::uint32_t state = 7;
  const auto next = [&state] {
    state = state * 1664525U + 1013904223U;
    return state >> 16U;
  };
  for (int round = 0; round < 3000; ++round) {
    switch (next() % 8) {
      case 0:
        bench.want(AudioMode::kListen);
        break;
      case 1:
        bench.want(AudioMode::kPlay);
        break;
      case 2:
        bench.want(AudioMode::kOff);
        break;
      case 3:
        bench.link.downlink.begin();
        bench.reply(next() % 400, 5);
        break;
      case 4:
        bench.link.downlink.end();
        break;
      case 5:
        bench.link.downlink.discard();
        break;
      case 6:
        bench.link.beeps = 1;
        break;
      default:
        bench.speaker.failing_starts = static_cast<int>(next() % 2);
        bench.microphone.failing_starts = static_cast<int>(next() % 2);
        break;
    }
    bench.run(next() % 60);
    REQUIRE(bench.sound.fault == "");
    REQUIRE((bench.actual() == AudioMode::kListen) == bench.microphone.open);
    REQUIRE((bench.actual() == AudioMode::kPlay) == bench.speaker.open);
    bench.recorded();
  }
}

TEST_CASE("a failure to open is forgotten: half a wrap of the clock later nothing waits for it") {
  for (const AudioMode mode : {AudioMode::kListen, AudioMode::kPlay}) {
    CAPTURE(static_cast<int>(mode));
    PumpBench bench;
    bench.microphone.failing_starts = 1;
    bench.speaker.failing_starts = 1;
    bench.want(mode);
    bench.run(10);
    bench.want(AudioMode::kOff);
    bench.run(2000);
    REQUIRE(bench.actual() == AudioMode::kOff);
    bench.now += 2150000000U;  // 24.9 days
    bench.run(10);
    bench.want(mode);
    bench.run(10);
    CHECK(bench.actual() == mode);
  }
}
