#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "lobug/audio/beep.h"
#include "lobug/audio/format.h"
#include "lobug/audio/level.h"

using namespace lobug;

namespace {

/// 20 ms of a square wave: its rms is its amplitude.
std::vector<std::int16_t> square(std::int16_t amplitude) {
  std::vector<std::int16_t> samples(kUplinkFrameSamples);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    samples[n] = static_cast<std::int16_t>((n / 16) % 2 == 0 ? amplitude : -amplitude);
  }
  return samples;
}

int loudness_of(std::int16_t amplitude) {
  const std::vector<std::int16_t> samples = square(amplitude);
  return loudness({samples.data(), samples.size()});
}

struct Room {
  bool hear(std::int16_t amplitude, int frames) {
    const std::vector<std::int16_t> samples = square(amplitude);
    bool voice = false;
    for (int frame = 0; frame < frames; ++frame) {
      voice = activity.update({samples.data(), samples.size()});
    }
    return voice;
  }
  VoiceActivity activity;
};

}  // namespace

TEST_CASE("loudness is even to the eye: 0 at -60 dBFS, 255 at -6, half way between") {
  CHECK(loudness({}) == 0);
  CHECK(loudness_of(0) == 0);
  CHECK(loudness_of(32) == 0);
  CHECK(loudness_of(34) > 0);
  CHECK(loudness_of(34) < 6);
  CHECK(loudness_of(16423) >= 254);  // -6 dBFS
  CHECK(loudness_of(16500) == 255);
  CHECK(loudness_of(32767) == 255);
  CHECK(loudness_of(733) >= 126);  // -33 dBFS
  CHECK(loudness_of(733) <= 129);
  int before = 0;
  for (int amplitude = 1; amplitude < 32767; amplitude += 50) {
    const int now = loudness_of(static_cast<std::int16_t>(amplitude));
    CHECK(now >= before);
    before = now;
  }
}

TEST_CASE("the loudest sample there is does not overflow") {
  const std::vector<std::int16_t> samples(kDownlinkFrameSamples, INT16_MIN);
  CHECK(loudness({samples.data(), samples.size()}) == 255);
}

TEST_CASE("speech over a quiet room is voice, and its end is noticed soon") {
  Room room;
  CHECK_FALSE(room.hear(30, 50));
  CHECK(room.hear(1500, 1));
  CHECK(room.hear(1500, 100));
  CHECK(room.hear(30, 5));  // between two words
  CHECK_FALSE(room.hear(30, 20));
}

TEST_CASE("who speaks while the microphone opens is noticed") {
  Room room;
  CHECK(room.hear(2000, 3));
}

TEST_CASE("a steady noise becomes the floor, and speech over it is still voice") {
  Room room;
  room.hear(30, 50);
  CHECK(room.hear(800, 10));
  CHECK_FALSE(room.hear(800, 1000));
  CHECK(room.hear(6000, 3));
}

TEST_CASE("ten seconds of speech with its pauses stay voice") {
  Room room;
  room.hear(40, 50);
  for (int word = 0; word < 25; ++word) {
    CHECK(room.hear(3000, 15));
    CHECK(room.hear(60, 5));
  }
}

TEST_CASE("silence of zeros is no voice, and a reset forgets the room") {
  Room room;
  CHECK_FALSE(room.hear(0, 100));
  room.hear(800, 1000);
  REQUIRE_FALSE(room.hear(800, 1));
  room.activity.reset();
  CHECK(room.hear(800, 1));
}

TEST_CASE("a beep is faded, has its length and stays within its bounds") {
  Beep beep;
  CHECK_FALSE(beep.sounding());
  beep.add(1);
  std::vector<std::int16_t> samples(samples_of(200), 0);
  for (std::size_t n = 0; n < samples.size(); n += 64) {
    beep.mix({samples.data() + n, std::min<std::size_t>(64, samples.size() - n)});
  }
  CHECK_FALSE(beep.sounding());
  CHECK(samples[samples_of(120)] == 0);
  int most = 0;
  int leap = 0;
  for (std::size_t n = 1; n < samples.size(); ++n) {
    most = std::max(most, std::abs(static_cast<int>(samples[n])));
    leap = std::max(leap, std::abs(samples[n] - samples[n - 1]));
  }
  CHECK(most > 7900);
  CHECK(most <= 8000);
  CHECK(leap < 3300);  // a sine of 1 kHz turns by pi/8 a sample; a click would be more
  CHECK(std::abs(static_cast<int>(samples[1])) < 50);
  CHECK(std::abs(static_cast<int>(samples[samples_of(120) - 2])) < 200);
}

TEST_CASE("a beep over the loudest sound does not wrap") {
  Beep beep;
  beep.add(1);
  std::vector<std::int16_t> samples(samples_of(120), 32767);
  beep.mix({samples.data(), samples.size()});
  int least = 32767;
  for (const std::int16_t sample : samples) least = std::min<int>(least, sample);
  CHECK(least >= 32767 - 8001);
}

TEST_CASE("more beeps than anybody wants are bounded") {
  Beep beep;
  for (int n = 0; n < 100; ++n) beep.add(255);
  std::vector<std::int16_t> samples(samples_of(5000), 0);
  beep.mix({samples.data(), samples.size()});
  CHECK_FALSE(beep.sounding());
}
