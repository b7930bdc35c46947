#include "lobug/face/expression.h"

namespace lobug {
namespace {

// clang-format off
constexpr Expression kTable[kEmotionCount + kLookCount] = {
  //  eyelids             pupil look      brows          mouth                  blush
  //  L    R    smile tilt  |   x    y    lift tilt skew wide bend open skew wave |  antennae
  {{{100, 100,   0,   0, 100,   0,   0,   0,   0,   0,  50,  35,   0,   0,   0,   0,  20}}, Prop::kNone},      // neutral
  {{{100, 100,  42,   0, 110,   0,   0,  30, -15,   0,  72,  85,  30,   0,   0,  55,  60}}, Prop::kNone},      // happy
  {{{  0,   0, 100,   0, 100,   0, -10,  50, -20,   0,  85,  70,  90,   0,   0,  60,  80}}, Prop::kNone},      // laughing
  {{{105,  70,  30,   0, 100,  20,   0,  20,   0,  60,  72,  80,  30,  25,   0,  30,  60}}, Prop::kNone},      // funny
  {{{ 78,  78,   0, -60, 108,   0,  35,  10, -80,   0,  45, -70,   0,   0,   0,   0, -60}}, Prop::kNone},      // sad
  {{{ 82,  82,  10,  75,  80,   0,   5, -40,  85,   0,  50, -65,   0,   0,   0,   0,  40}}, Prop::kAnger},     // angry
  {{{ 55,  55,  30, -60, 100,   0,  20,  10, -90,   0,  55, -75,  45,   0,   0,  25, -80}}, Prop::kTears},     // crying
  {{{100, 100,   0,   0, 100,   0,   0,  30, -20,   0,  70,  90,  30,   0,   0,  80,  75}}, Prop::kHearts},    // loving
  {{{ 82,  82,  25, -20,  90, -60,  40,  20, -55,   0,  38,   0,   0,   0,  60, 100, -10}}, Prop::kSweat},     // embarrassed
  {{{118, 118,   0,   0,  78,   0,   0,  80,   0,   0,  24,   0,  60,   0,   0,   0,  90}}, Prop::kNone},      // surprised
  {{{127, 127,   0,   0,  42,   0,   0,  95, -40,   0,  46, -20, 100,   0,   0,   0, 100}}, Prop::kExclaim},   // shocked
  {{{ 95,  75,   0,   0,  95,  55, -65,  20,  10,  60,  30,   5,   0,  35,   0,   0,  20}}, Prop::kDots},      // thinking
  {{{100,   0,  12,   0, 105,   0,   0,  25,   0, -30,  66,  85,  20,  15,   0,  45,  45}}, Prop::kSparkle},   // winking
  {{{ 80,  80,   0,   0, 100,   0,   0,  20,   0,  40,  50,  45,   0,  50,   0,   0,  30}}, Prop::kShades},    // cool
  {{{ 45,  45,  20, -10, 100,   0,  15,   0, -15,   0,  55,  65,   0,   0,   0,  35, -10}}, Prop::kNone},      // relaxed
  {{{  0,   0, 100,   0, 100,   0,   0,  30, -15,   0,  64,  85,  12,   0,   0,  55,  50}}, Prop::kLick},      // delicious
  {{{  0,   0,   0,   0, 100,   0,   0,  20, -20,   0,  12,   0,  28,   0,   0,  80,  40}}, Prop::kKiss},      // kissy
  {{{ 68,  68,  15,  20,  95,   0,   0,   5,  35,  30,  58,  45,   0,  60,   0,   0,  60}}, Prop::kSparkle},   // confident
  {{{ 26,  20,   0, -10,  95,   0,  30,   0, -20,   0,  26, -10,  25,   0,   0,   0, -50}}, Prop::kZzz},       // sleepy
  {{{115,  75,   0,   0,  70,   0,   0,  30,   0,  50,  72,  75,  40,   0,   0,  40,  50}}, Prop::kTongue},    // silly
  {{{100,  72,   0,   0,  85,  20, -15,  15,  15,  75,  42, -10,   0,  20,  45,   0,   0}}, Prop::kQuestion},  // confused
  // Looks.
  {{{112, 112,   0,   0, 116,   0,   0,  45,   0,   0,  42,  45,   8,   0,   0,  15, 100}}, Prop::kNone},      // attentive
  {{{  0,   0,   0,   0, 100,   0,  20, -10,   0,   0,  26,  30,  10,   0,   0,  30, -70}}, Prop::kZzz},       // asleep
  {{{ 76,  76,  12,   0, 104,   0, -20,  40, -20,   0,  46,  60,   0,   0,   0,  20,  30}}, Prop::kNone},      // waking
  {{{ 80,  80,   0, -45,  98,   0,  10,  20, -70,   0,  40, -45,   0,   0,   0,   0, -90}}, Prop::kNone},      // lost
  {{{ 96,  96,   0, -25,  76,   0,   0,  35, -60,  20,  45, -35,   0,   0,  55,   0, -40}}, Prop::kExclaim},   // trouble
  {{{100, 100,  20,   0, 108,   0, -60,  40, -15,   0,  44,  60,   0,   0,   0,  35,  40}}, Prop::kNone},      // busy
};
// clang-format on

}  // namespace

const Expression& expression_of(Emotion emotion) {
  const auto row = static_cast<std::size_t>(emotion);
  return kTable[row < kEmotionCount ? row : 0];
}

const Expression& expression_of(Look look) {
  const auto row = static_cast<std::size_t>(look);
  return kTable[kEmotionCount + (row < kLookCount ? row : 0)];
}

}  // namespace lobug
