#include <doctest/doctest.h>

#include "lobug/face/emotion.h"

using lobug::Emotion;

TEST_CASE("Every emotion has a word of its own, and the word the emotion") {
  for (std::uint8_t place = 0; place < lobug::kEmotionCount; ++place) {
    const auto emotion = static_cast<Emotion>(place);
    CAPTURE(static_cast<int>(place));
    CHECK(lobug::emotion_named(name_of(emotion)) == emotion);
  }
  CHECK(lobug::name_of(Emotion::kNeutral) == "neutral");
  CHECK(lobug::name_of(Emotion::kThinking) == "thinking");
  CHECK(lobug::name_of(Emotion::kConfused) == "confused");
}

TEST_CASE("Other words are neutral") {
  CHECK(lobug::emotion_named("") == Emotion::kNeutral);
  CHECK(lobug::emotion_named("Happy") == Emotion::kNeutral);
  CHECK(lobug::emotion_named("happy ") == Emotion::kNeutral);
  CHECK(name_of(static_cast<Emotion>(200)) == "neutral");
}
