// The emotions that the protocol knows (docs/protocol.md, message `llm`).
#pragma once

#include <cstdint>
#include <string_view>

namespace lobug {

enum class Emotion : std::uint8_t {
  kNeutral,
  kHappy,
  kLaughing,
  kFunny,
  kSad,
  kAngry,
  kCrying,
  kLoving,
  kEmbarrassed,
  kSurprised,
  kShocked,
  kThinking,
  kWinking,
  kCool,
  kRelaxed,
  kDelicious,
  kKissy,
  kConfident,
  kSleepy,
  kSilly,
  kConfused,
};
constexpr std::uint8_t kEmotionCount = 21;

/// The protocol's word, "happy".
std::string_view name_of(Emotion emotion);
/// kNeutral for a word that the protocol does not know.
Emotion emotion_named(std::string_view name);

}  // namespace lobug
