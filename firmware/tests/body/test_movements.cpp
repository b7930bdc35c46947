#include "lobug/body/movements.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "lobug/body/body.h"
#include "lobug/body/head_drive.h"

using namespace lobug;

namespace {

Millis length_of(const Movement& movement) {
  Millis length = 0;
  for (const Keyframe& frame : movement) length += frame.move_ms + frame.rest_ms;
  return length;
}

}  // namespace

TEST_CASE("each emotion moves the head a little and not for long") {
  for (std::uint8_t number = 0; number < kEmotionCount; ++number) {
    const auto emotion = static_cast<Emotion>(number);
    const Movement movement = movement_of(emotion);
    CAPTURE(std::string(name_of(emotion)));
    REQUIRE_FALSE(movement.empty());
    CHECK(length_of(movement) <= 4500);
    for (const Keyframe& frame : movement) {
      CHECK(std::abs(frame.from_gaze.yaw) <= 200);
      CHECK(std::abs(frame.from_gaze.pitch) <= 200);
      CHECK(frame.move_ms >= 150);
    }
  }
}

TEST_CASE("emotions that differ in the face differ in the head") {
  for (std::uint8_t first = 0; first < kEmotionCount; ++first) {
    for (std::uint8_t second = 0; second < first; ++second) {
      const Movement one = movement_of(static_cast<Emotion>(first));
      const Movement other = movement_of(static_cast<Emotion>(second));
      bool same = one.size() == other.size();
      for (std::size_t place = 0; same && place < one.size(); ++place) {
        same = one[place].from_gaze == other[place].from_gaze;
      }
      CAPTURE(first);
      CAPTURE(second);
      CHECK_FALSE(same);
    }
  }
}

TEST_CASE("what a tool or a hand asks for ends where the head looked before") {
  for (const Deed deed : {Deed::kNod, Deed::kShake, Deed::kBow, Deed::kDance, Deed::kHeard,
                          Deed::kPetted, Deed::kWake, Deed::kAhead}) {
    const Movement movement = movement_of(deed);
    REQUIRE_FALSE(movement.empty());
    CHECK(movement[movement.size() - 1].from_gaze == Attitude{});
  }
}
