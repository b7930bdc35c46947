#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "lobug/senses/motion.h"

using namespace lobug;

namespace {

constexpr float kPi = 3.14159265F;

/// A sensor in somebody's hands: gravity, noise and what is done to it, at a rate of one's choice.
struct Hands {
  explicit Hands(Millis step = 20) : step_ms(step) {}

  float noise() {  // about 0.01 g, as the sensor has it
    state = state * 1664525U + 1013904223U;
    return (static_cast<float>(state >> 16U) / 65535.0F - 0.5F) * 0.035F;
  }
  void feed(float x, float y, float z, float turning = 0.0F) {
    MotionSample sample;
    sample.accel_x = x + noise();
    sample.accel_y = y + noise();
    sample.accel_z = z + noise();
    sample.gyro_x = turning + noise() * 50.0F;
    sample.gyro_y = noise() * 50.0F;
    sample.gyro_z = noise() * 50.0F;
    sense.update(sample, now);
    now += step_ms;
  }
  void rest(Millis ms, float x = 0, float y = 0, float z = 1) {
    for (Millis passed = 0; passed < ms; passed += step_ms) feed(x, y, z);
  }
  /// A finger's knock: one or two readings of a spike, then a little ringing.
  void knock(float strength = 1.2F) {
    feed(0, 0, 1 + strength);
    feed(0, 0, 1 - strength * 0.3F);
  }
  void shake(Millis ms, float hertz = 5, float strength = 2) {
    for (Millis passed = 0; passed < ms; passed += step_ms) {
      const float phase = 2 * kPi * hertz * static_cast<float>(passed) / 1000.0F;
      feed(strength * std::sin(phase), 0, 1, 100 * std::sin(phase));
    }
  }
  void walk(Millis ms) {
    for (Millis passed = 0; passed < ms; passed += step_ms) {
      const Millis in_step = passed % 550;
      const float heel = in_step < 40 ? 0.7F : 0.0F;
      const float sway = 0.25F * std::sin(2 * kPi * static_cast<float>(in_step) / 550.0F);
      feed(sway * 0.4F, 0.9F + sway + heel, 0.4F,
           40 * std::sin(kPi * static_cast<float>(passed) / 550.0F));
    }
  }
  /// From the table into the hand, upright, within 600 ms; with a jerk at the beginning.
  void pick_up() {
    for (Millis passed = 0; passed < 600; passed += step_ms) {
      const float part = static_cast<float>(passed) / 600.0F;
      const float jerk = passed < 100 ? 0.6F : 0.2F * std::sin(part * 9);
      feed(0.1F * part, std::sin(part * kPi / 2), std::cos(part * kPi / 2) + jerk, 150);
    }
  }
  void put_down() {
    for (Millis passed = 0; passed < 600; passed += step_ms) {
      const float part = 1 - static_cast<float>(passed) / 600.0F;
      feed(0, std::sin(part * kPi / 2), std::cos(part * kPi / 2), 150);
    }
    feed(0, 0, 2.2F);  // it hits the table
    feed(0, 0, 0.7F);
  }
  const Motion& motion() const { return sense.motion(); }

  Millis step_ms;
  Millis now = 0xFFFFF000U;  // the clock wraps in the middle of every test
  std::uint32_t state = 1;
  MotionSense sense;
};

}  // namespace

TEST_CASE("the words of the sensor report") {
  CHECK(name_of(Orientation::kUnknown) == "unknown");
  CHECK(name_of(Orientation::kFaceUp) == "face_up");
  CHECK(name_of(Orientation::kFaceDown) == "face_down");
  CHECK(name_of(Orientation::kUpright) == "upright");
  CHECK(name_of(Orientation::kUpsideDown) == "upside_down");
  CHECK(name_of(Orientation::kLeftSide) == "left_side");
  CHECK(name_of(Orientation::kRightSide) == "right_side");
}

TEST_CASE("every side is found") {
  struct Side {
    Orientation orientation;
    float x, y, z;
  };
  const Side sides[] = {
      {Orientation::kFaceUp, 0, 0, 1},   {Orientation::kFaceDown, 0, 0, -1},
      {Orientation::kUpright, 0, 1, 0},  {Orientation::kUpsideDown, 0, -1, 0},
      {Orientation::kLeftSide, 1, 0, 0}, {Orientation::kRightSide, -1, 0, 0},
  };
  for (const Side& side : sides) {
    CAPTURE(std::string(name_of(side.orientation)));
    Hands hands;
    CHECK(hands.motion().orientation == Orientation::kUnknown);
    hands.rest(200, side.x, side.y, side.z);
    CHECK(hands.motion().orientation == Orientation::kUnknown);  // not believed at once
    hands.rest(200, side.x, side.y, side.z);
    CHECK(hands.motion().orientation == side.orientation);
    // And from each to each other.
    for (const Side& other : sides) {
      hands.rest(3000, side.x, side.y, side.z);
      hands.rest(3000, other.x, other.y, other.z);
      CHECK(hands.motion().orientation == other.orientation);
    }
  }
}

TEST_CASE("between two sides the orientation stays what it was") {
  Hands hands;
  hands.rest(1000, 0, 1, 0);
  const float sine = std::sin(45 * kPi / 180);
  hands.rest(3000, 0, sine, sine);
  CHECK(hands.motion().orientation == Orientation::kUpright);
  hands.rest(3000, 0, 0.3F, 0.95F);
  CHECK(hands.motion().orientation == Orientation::kFaceUp);
  hands.rest(3000, 0, sine, sine);
  CHECK(hands.motion().orientation == Orientation::kFaceUp);
}

TEST_CASE("a shake does not change the orientation") {
  Hands hands;
  hands.rest(1000);
  hands.shake(3000);
  CHECK(hands.motion().orientation == Orientation::kFaceUp);
}

TEST_CASE("gaze: 0 when upright, to the lower side, up when it lies on its back") {
  Hands hands;
  hands.rest(2000, 0, 1, 0);
  CHECK(std::fabs(hands.motion().gaze_x) < 0.05F);
  CHECK(std::fabs(hands.motion().gaze_y) < 0.05F);
  hands.rest(2000, -0.5F, 0.87F, 0);  // the right edge is lower
  CHECK(hands.motion().gaze_x > 0.6F);
  CHECK(hands.motion().gaze_x < 0.8F);
  hands.rest(2000, 1, 0, 0);
  CHECK(hands.motion().gaze_x == doctest::Approx(-1).epsilon(0.01));
  hands.rest(2000, 0, 0, 1);
  CHECK(hands.motion().gaze_y < -0.95F);
  hands.rest(2000, 0, 0.7F, -0.7F);
  CHECK(hands.motion().gaze_y > 0.6F);
  // It moves smoothly: no leap from one reading to the next.
  float before = hands.motion().gaze_y;
  for (int reading = 0; reading < 100; ++reading) {
    hands.rest(20, 0, 0.7F, 0.7F);
    CHECK(std::fabs(hands.motion().gaze_y - before) < 0.3F);
    before = hands.motion().gaze_y;
  }
}

TEST_CASE("a minute on the table: still, and nothing was felt") {
  for (const Millis step : {10U, 20U, 40U}) {
    CAPTURE(step);
    Hands hands(step);
    for (int second = 0; second < 60; ++second) {
      hands.rest(1000);
      CHECK_FALSE(hands.motion().moving);
      CHECK_FALSE(hands.motion().shaking);
    }
    CHECK(hands.motion().taps == 0);
  }
}

TEST_CASE("a minute of being picked up and put down: moving, no tap, no shake") {
  for (const Millis step : {10U, 20U, 40U}) {
    CAPTURE(step);
    Hands hands(step);
    for (int time = 0; time < 20; ++time) {
      hands.rest(900);
      hands.pick_up();
      CHECK(hands.motion().moving);
      CHECK_FALSE(hands.motion().shaking);
      hands.rest(900, 0.1F, 1, 0);
      hands.put_down();
    }
    CHECK(hands.motion().taps == 0);
    hands.rest(2000);
    CHECK_FALSE(hands.motion().moving);
  }
}

TEST_CASE("a minute of walking: moving all the time, no tap, no shake") {
  for (const Millis step : {10U, 20U, 40U}) {
    CAPTURE(step);
    Hands hands(step);
    hands.walk(1000);
    for (int second = 0; second < 60; ++second) {
      hands.walk(1100);
      CHECK(hands.motion().moving);
      CHECK_FALSE(hands.motion().shaking);
    }
    CHECK(hands.motion().taps == 0);
  }
}

TEST_CASE("a minute of shaking: shaking soon and until it ends, no tap") {
  for (const Millis step : {10U, 20U, 40U}) {
    for (const float hertz : {3.0F, 5.0F, 7.0F}) {
      CAPTURE(step);
      CAPTURE(hertz);
      Hands hands(step);
      hands.rest(1000);
      hands.shake(1000, hertz);
      for (int second = 0; second < 60; ++second) {
        CHECK(hands.motion().shaking);
        CHECK(hands.motion().moving);
        hands.shake(1000, hertz);
      }
      CHECK(hands.motion().taps == 0);
      hands.rest(1500);
      CHECK_FALSE(hands.motion().shaking);
      CHECK_FALSE(hands.motion().moving);
    }
  }
}

TEST_CASE("one push to and fro is no shake") {
  Hands hands;
  hands.rest(1000);
  hands.shake(250, 4);
  CHECK_FALSE(hands.motion().shaking);
  hands.rest(2000);
  CHECK_FALSE(hands.motion().shaking);
}

TEST_CASE("every knock is one tap, however it stands and however often it is read") {
  for (const Millis step : {10U, 20U, 40U}) {
    CAPTURE(step);
    Hands hands(step);
    hands.rest(1000);
    for (std::uint32_t knock = 1; knock <= 60; ++knock) {
      hands.knock(knock % 2 == 0 ? 0.8F : 2.0F);
      hands.rest(960);
      CHECK(hands.motion().taps == knock);
      CHECK_FALSE(hands.motion().shaking);
    }
  }
}

TEST_CASE("a knock is felt as well when the readings come at uneven times") {
  // As on a device: between two pieces of the picture, and while nothing is drawn.
  constexpr Millis kSteps[] = {20, 19, 11, 10, 12, 20, 21, 10, 10, 13};
  Hands hands(10);
  std::size_t place = 0;
  const auto rest = [&](Millis ms) {
    for (Millis passed = 0; passed < ms; passed += hands.step_ms) {
      hands.step_ms = kSteps[place++ % 10];
      hands.feed(0, 0, 1);
    }
  };
  rest(1000);
  for (std::uint32_t knock = 1; knock <= 60; ++knock) {
    hands.knock(knock % 2 == 0 ? 0.8F : 2.0F);
    rest(950 + knock);
    CHECK(hands.motion().taps == knock);
    CHECK_FALSE(hands.motion().shaking);
  }
}

TEST_CASE("two knocks in quick succession are two, faster ones are one") {
  Hands hands;
  hands.rest(1000);
  hands.knock();
  hands.rest(360);
  hands.knock();
  hands.rest(1000);
  CHECK(hands.motion().taps == 2);
  hands.knock();
  hands.rest(40);
  hands.knock();
  hands.rest(1000);
  CHECK(hands.motion().taps <= 3);
}

TEST_CASE("weeks on the table without a tap: the next one is felt all the same") {
  // 24.8 days are 2^31 ms, the farthest that a moment can lie ahead.
  for (const Millis days : {24U, 25U, 37U, 49U}) {
    CAPTURE(days);
    Hands hands;
    hands.rest(1000);
    hands.knock();
    hands.rest(1000);
    REQUIRE(hands.motion().taps == 1);
    hands.now += days * 24 * 3600 * 1000;
    hands.rest(1000);
    hands.knock();
    hands.rest(1000);
    CHECK(hands.motion().taps == 2);
  }
}

TEST_CASE("a knock too soft for a tap is none") {
  Hands hands;
  hands.rest(1000);
  for (int knock = 0; knock < 20; ++knock) {
    hands.knock(0.3F);
    hands.rest(500);
  }
  CHECK(hands.motion().taps == 0);
}

TEST_CASE("readings that are no numbers, or beyond the sensor's range, do no lasting harm") {
  Hands hands;
  hands.rest(1000);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinite = std::numeric_limits<float>::infinity();
  hands.feed(nan, nan, nan, nan);
  hands.feed(infinite, -infinite, 1e30F, infinite);
  const Motion& motion = hands.motion();
  CHECK(std::isfinite(motion.gaze_x));
  CHECK(std::isfinite(motion.sample.gyro_x));
  CHECK(motion.sample.accel_z == 16);
  hands.rest(5000, 0, 1, 0);
  CHECK(motion.orientation == Orientation::kUpright);
  CHECK_FALSE(motion.moving);
  CHECK(std::fabs(motion.gaze_y) < 0.05F);
}

TEST_CASE("a sensor that says nothing (all zero) is of unknown orientation and still") {
  Hands hands;
  hands.rest(5000, 0, 0, 0);
  CHECK(hands.motion().orientation == Orientation::kUnknown);
  CHECK_FALSE(hands.motion().moving);
  CHECK(hands.motion().taps == 0);
}
