#include <doctest/doctest.h>

#include <vector>

#include "lobug/face/face.h"
#include "support/scripted_random.h"

using namespace lobug;

namespace {

struct Mood {
  ScriptedRandom random;
  Face face{random};
  FaceInput input;
  Millis now = 0;
  Mood() { input.expression = &expression_of(Emotion::kNeutral); }
  void pass(Millis ms, Millis frame = 20) {
    for (Millis done = 0; done < ms; done += frame) {
      now += frame;
      face.update(input, now);
    }
  }
};

}  // namespace

TEST_CASE("every emotion looks different, and the face gets there") {
  std::vector<std::vector<Colour>> pictures;
  for (std::uint8_t number = 0; number < kEmotionCount; ++number) {
    Mood mood;
    mood.input.expression = &expression_of(static_cast<Emotion>(number));
    mood.input.still = true;
    mood.pass(1600);
    for (std::size_t f = 0; f < kFeatureCount; ++f) {
      CHECK(mood.face.state().features[f] == mood.input.expression->features[f] * 16);
    }
    std::vector<Colour> pixels(320 * 240);
    Canvas canvas({pixels.data(), pixels.size()}, 320, 240);
    canvas.clear(0);
    draw_face(canvas, mood.face.state(), 160 * 16, 130 * 16, 232);
    for (const auto& other : pictures) CHECK(pixels != other);
    pictures.push_back(pixels);
  }
}

TEST_CASE("it blinks now and then, and not in its sleep") {
  Mood mood;
  int blinks = 0;
  bool closed = false;
  for (int frame = 0; frame < 3000; ++frame) {  // a minute
    mood.pass(20);
    const bool shut = mood.face.state().blink == 256;
    blinks += shut && !closed ? 1 : 0;
    closed = shut;
  }
  CHECK(blinks >= 8);
  CHECK(blinks <= 40);
  mood.input.still = true;
  mood.pass(1000);
  for (int frame = 0; frame < 1000; ++frame) {
    mood.pass(20);
    CHECK(mood.face.state().blink == 0);
  }
}

TEST_CASE("the mouth opens with what sounds, at once, and closes softly") {
  Mood mood;
  mood.pass(200);
  CHECK(mood.face.state().mouth == 0);
  mood.input.talking = true;
  mood.input.level = 255;
  mood.pass(100);
  const int open = mood.face.state().mouth;
  CHECK(open > 200);
  mood.input.level = 0;
  mood.pass(40);
  CHECK(mood.face.state().mouth > 0);
  CHECK(mood.face.state().mouth < open);
  mood.pass(1000);
  CHECK(mood.face.state().mouth == 0);
  mood.input.talking = false;
  mood.input.level = 255;  // the microphone's level moves no mouth
  mood.pass(100);
  CHECK(mood.face.state().mouth == 0);
}

TEST_CASE("the eyes follow the tilt, smoothly") {
  Mood mood;
  mood.input.still = true;
  mood.pass(20);
  mood.input.gaze_x = 256;
  mood.pass(20);
  const int first = mood.face.state().look_x;
  mood.pass(1500);
  CHECK(first > 0);
  CHECK(mood.face.state().look_x > 3 * first);
}

TEST_CASE("a pause of hours is no jump, and no time at all changes nothing") {
  Mood mood;
  mood.pass(1000);
  const std::uint32_t before = mood.face.state().clock_ms;
  mood.now += 10000000;
  mood.face.update(mood.input, mood.now);
  CHECK(mood.face.state().clock_ms <= before + 100);
  mood.face.update(mood.input, mood.now);
  CHECK(mood.face.state().clock_ms <= before + 100);
}
