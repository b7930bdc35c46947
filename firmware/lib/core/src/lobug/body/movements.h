// What a head does, as data: keyframes for each emotion, and for what happens to the device.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/base/span.h"
#include "lobug/body/attitude.h"
#include "lobug/face/emotion.h"

namespace lobug {

/// A place on the way, from where the head looks, and how it gets there.
struct Keyframe {
  Attitude from_gaze;     ///< added to where it looks
  std::uint16_t move_ms;  ///< at least: a long way takes longer
  std::uint16_t rest_ms;  ///< before the next one
};

/// The last keyframe stays until there is another movement.
using Movement = Span<const Keyframe>;

/// Movements that no emotion asks for.
enum class Deed : std::uint8_t {
  kNod,
  kShake,
  kBow,
  kDance,
  kHeard,   ///< a small nod: words were understood
  kPetted,  ///< it leans into the hand
  kWake,    ///< out of the dark
  kSink,    ///< into it; the head rests on its stop when the servos let go
  kAhead,   ///< back to where it looks
};
constexpr std::uint8_t kDeedCount = 9;

/// As it begins to speak with that emotion.
Movement movement_of(Emotion emotion);
Movement movement_of(Deed deed);

}  // namespace lobug
