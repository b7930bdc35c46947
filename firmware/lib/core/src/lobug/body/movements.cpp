#include "lobug/body/movements.h"

#include <cstddef>

namespace lobug {
namespace {

// Yaw, pitch in tenths of a degree; ms of the way, ms of rest.
constexpr Keyframe kStill[] = {{{0, 0}, 400, 0}};

constexpr Keyframe kHappy[] = {{{0, 80}, 300, 0}, {{0, 20}, 250, 0}, {{0, 60}, 300, 0}};
constexpr Keyframe kLaughing[] = {{{0, 90}, 250, 0}, {{0, 40}, 180, 0}, {{0, 90}, 180, 0},
                                  {{0, 40}, 180, 0}, {{0, 90}, 180, 0}, {{0, 50}, 300, 0}};
constexpr Keyframe kFunny[] = {{{-80, 50}, 350, 100}, {{80, 50}, 500, 100}, {{0, 30}, 400, 0}};
constexpr Keyframe kSad[] = {{{40, -150}, 1200, 0}};
constexpr Keyframe kAngry[] = {
    {{0, -60}, 250, 200}, {{-60, -60}, 200, 0}, {{60, -60}, 250, 0}, {{0, -50}, 250, 0}};
constexpr Keyframe kCrying[] = {
    {{0, -150}, 900, 200}, {{-30, -130}, 300, 0}, {{30, -150}, 350, 0}, {{0, -150}, 300, 0}};
constexpr Keyframe kLoving[] = {{{-70, 70}, 700, 300}, {{50, 60}, 800, 0}};
constexpr Keyframe kEmbarrassed[] = {{{150, -80}, 700, 500}, {{100, -60}, 500, 0}};
constexpr Keyframe kSurprised[] = {{{0, 150}, 250, 500}, {{0, 80}, 600, 0}};
constexpr Keyframe kShocked[] = {{{0, 180}, 200, 700}, {{0, 100}, 700, 0}};
constexpr Keyframe kThinking[] = {{{120, 120}, 700, 0}};
constexpr Keyframe kWinking[] = {{{-50, 50}, 300, 400}, {{0, 30}, 400, 0}};
constexpr Keyframe kCool[] = {{{-90, 40}, 600, 300}, {{-60, 60}, 500, 0}};
constexpr Keyframe kRelaxed[] = {{{-40, 20}, 1200, 0}};
constexpr Keyframe kDelicious[] = {
    {{0, 60}, 400, 0}, {{-50, 40}, 300, 0}, {{50, 40}, 400, 0}, {{0, 50}, 300, 0}};
constexpr Keyframe kKissy[] = {{{0, -40}, 350, 300}, {{0, 50}, 450, 0}};
constexpr Keyframe kConfident[] = {{{0, 110}, 600, 0}};
constexpr Keyframe kSleepy[] = {{{0, -120}, 1500, 400}, {{0, -60}, 400, 300}, {{0, -130}, 1500, 0}};
constexpr Keyframe kSilly[] = {
    {{-120, 80}, 350, 0}, {{120, 20}, 500, 0}, {{-60, 70}, 400, 0}, {{0, 30}, 350, 0}};
constexpr Keyframe kConfused[] = {{{100, 60}, 500, 500}, {{-80, 50}, 700, 0}};

/// In the order of the enumeration.
constexpr Movement kOfEmotions[] = {
    kStill,   kHappy,       kLaughing,  kFunny,     kSad,      kAngry,   kCrying,
    kLoving,  kEmbarrassed, kSurprised, kShocked,   kThinking, kWinking, kCool,
    kRelaxed, kDelicious,   kKissy,     kConfident, kSleepy,   kSilly,   kConfused,
};
static_assert(sizeof kOfEmotions / sizeof kOfEmotions[0] == kEmotionCount);

constexpr Keyframe kNod[] = {{{0, 120}, 300, 0}, {{0, -30}, 300, 0}, {{0, 0}, 250, 0}};
constexpr Keyframe kShake[] = {{{-180, 0}, 300, 0}, {{180, 0}, 500, 0}, {{0, 0}, 300, 0}};
constexpr Keyframe kBow[] = {{{0, 100}, 500, 0}, {{0, -200}, 700, 700}, {{0, 0}, 800, 0}};
constexpr Keyframe kDance[] = {{{-250, 120}, 500, 0},
                               {{250, 0}, 700, 0},
                               {{-250, 0}, 700, 0},
                               {{250, 120}, 700, 0},
                               {{0, 0}, 500, 0}};
constexpr Keyframe kHeard[] = {{{0, 60}, 200, 0}, {{0, -10}, 220, 0}, {{0, 0}, 200, 0}};
constexpr Keyframe kPetted[] = {
    {{-90, 110}, 500, 200}, {{90, 110}, 700, 200}, {{-60, 90}, 600, 200}, {{0, 0}, 600, 0}};
constexpr Keyframe kWake[] = {{{0, 100}, 700, 300}, {{0, 0}, 500, 0}};
// Below what any head can: its reach ends the way.
constexpr Keyframe kSink[] = {{{0, -900}, 1500, 0}};

/// In the order of the enumeration.
constexpr Movement kOfDeeds[] = {kNod, kShake, kBow, kDance, kHeard, kPetted, kWake, kSink, kStill};
static_assert(sizeof kOfDeeds / sizeof kOfDeeds[0] == kDeedCount);

}  // namespace

Movement movement_of(Emotion emotion) {
  const auto place = static_cast<std::size_t>(emotion);
  return kOfEmotions[place < kEmotionCount ? place : 0];
}

Movement movement_of(Deed deed) { return kOfDeeds[static_cast<std::size_t>(deed)]; }

}  // namespace lobug
