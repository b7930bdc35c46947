// What a feeling looks like: every expression as a row of numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lobug/face/emotion.h"

namespace lobug {

/// What of the face can move. Percent; the face blends from one expression to the next number by
/// number. Left and right are those of the picture.
enum Feature : std::uint8_t {
  kOpenLeft,  ///< upper eyelids: 0 closed, 100 open, up to 127 wide open
  kOpenRight,
  kSmileEyes,  ///< lower eyelids: 100 closes the eye to an arc, as laughing does
  kLidTilt,    ///< -100: outer ends low (sad) to 100: inner ends low (angry)
  kPupil,      ///< size
  kLookX,      ///< -100 left to 100 right
  kLookY,      ///< -100 up to 100 down
  kBrowLift,   ///< -100 low to 100 high
  kBrowTilt,   ///< as kLidTilt
  kBrowSkew,   ///< the right one is higher than the left one
  kMouthWidth,
  kMouthBend,  ///< -100 corners down to 100 corners up
  kMouthOpen,
  kMouthSkew,  ///< the right corner is higher than the left one
  kMouthWave,  ///< a wavy line
  kBlush,
  kAntennae,  ///< -100 hanging to 100 upright
};
constexpr std::size_t kFeatureCount = kAntennae + 1;

/// What comes with a feeling beside the face itself.
enum class Prop : std::uint8_t {
  kNone,
  kTears,
  kHearts,
  kSweat,
  kZzz,
  kShades,
  kTongue,
  kLick,
  kKiss,
  kQuestion,
  kExclaim,
  kAnger,
  kSparkle,
  kDots,
};

struct Expression {
  std::array<std::int8_t, kFeatureCount> features;
  Prop prop;
};

/// Looks that no message asks for.
enum class Look : std::uint8_t { kAttentive, kAsleep, kWaking, kLost, kTrouble, kBusy };
constexpr std::uint8_t kLookCount = 6;

const Expression& expression_of(Emotion emotion);
const Expression& expression_of(Look look);

}  // namespace lobug
