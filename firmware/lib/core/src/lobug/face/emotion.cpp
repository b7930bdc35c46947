#include "lobug/face/emotion.h"

#include <cstddef>

namespace lobug {
namespace {

/// In the order of the enumeration.
constexpr std::string_view kNames[] = {
    "neutral", "happy",       "laughing",  "funny",     "sad",      "angry",   "crying",
    "loving",  "embarrassed", "surprised", "shocked",   "thinking", "winking", "cool",
    "relaxed", "delicious",   "kissy",     "confident", "sleepy",   "silly",   "confused",
};
static_assert(sizeof kNames / sizeof kNames[0] == kEmotionCount);

}  // namespace

std::string_view name_of(Emotion emotion) {
  const auto place = static_cast<std::size_t>(emotion);
  return place < kEmotionCount ? kNames[place] : kNames[0];
}

Emotion emotion_named(std::string_view name) {
  for (std::uint8_t place = 0; place < kEmotionCount; ++place) {
    if (kNames[place] == name) return static_cast<Emotion>(place);
  }
  return Emotion::kNeutral;
}

}  // namespace lobug
