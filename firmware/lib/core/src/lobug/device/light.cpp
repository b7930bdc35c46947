#include "lobug/device/light.h"

namespace lobug {
namespace {

enum class Move : std::uint8_t {
  kBreathe,  ///< all lights together, between `least` and full
  kCircle,   ///< a point of light with a tail
};

struct Look {
  LedColor color;
  Move move;
  Millis period_ms;
  std::uint8_t least;  ///< of 255
  std::uint8_t most;   ///< of 255
};

// Hues are those of the antennae (face/palette.h), purer: a light has no dark to stand out from.
constexpr Look kNeedsOwner = {{150, 0, 255}, Move::kBreathe, 3000, 20, 255};
constexpr Look kSeeking = {{60, 90, 255}, Move::kCircle, 1500, 0, 255};
constexpr Look kIdle = {{110, 120, 255}, Move::kBreathe, 6000, 0, 90};
constexpr Look kListening = {{0, 255, 70}, Move::kBreathe, 2000, 150, 255};
constexpr Look kThinking = {{255, 140, 0}, Move::kCircle, 1200, 0, 255};
constexpr Look kSpeaking = {{0, 140, 255}, Move::kBreathe, 1000, 90, 255};
constexpr Look kUpdating = {{0, 255, 200}, Move::kCircle, 3000, 0, 255};
constexpr Look kOffline = {{255, 40, 20}, Move::kBreathe, 4000, 0, 130};

const Look& look_of(DeviceState state) {
  switch (state) {
    case DeviceState::kSetup:
    case DeviceState::kPairing:
      return kNeedsOwner;
    case DeviceState::kStarting:
    case DeviceState::kJoining:
    case DeviceState::kFinding:
    case DeviceState::kConnecting:
      return kSeeking;
    case DeviceState::kListening:
      return kListening;
    case DeviceState::kThinking:
      return kThinking;
    case DeviceState::kSpeaking:
      return kSpeaking;
    case DeviceState::kUpdating:
      return kUpdating;
    case DeviceState::kOffline:
      return kOffline;
    case DeviceState::kIdle:
      break;
  }
  return kIdle;
}

std::uint8_t scaled(std::uint8_t value, std::uint32_t level) {
  return static_cast<std::uint8_t>((value * level + 127) / 255);
}

LedColor scaled(const LedColor& color, std::uint32_t level) {
  return {scaled(color.red, level), scaled(color.green, level), scaled(color.blue, level)};
}

/// 0 to 255 and back in one period. Squared, because the eye sees half of the current as nearly
/// full light.
std::uint32_t breath(Millis phase, Millis period) {
  const Millis half = period / 2;
  const std::uint32_t rise = (phase < half ? phase : period - phase) * 255 / half;
  return rise * rise / 255;
}

/// Light of place `place` while the point is at `phase` of its way round: full, then a tail.
std::uint32_t in_circle(std::size_t place, Millis phase, Millis period) {
  constexpr std::uint32_t kTail[] = {255, 90, 25};
  const std::size_t head = phase * kLedCount / period;
  const std::size_t behind = (head + kLedCount - place) % kLedCount;
  return behind < sizeof kTail / sizeof kTail[0] ? kTail[behind] : 0;
}

}  // namespace

LedColors light_pattern(DeviceState state, Millis age) {
  const Look& look = look_of(state);
  const Millis phase = age % look.period_ms;
  LedColors colors;
  for (std::size_t place = 0; place < colors.size(); ++place) {
    const std::uint32_t level = look.move == Move::kBreathe
                                    ? breath(phase, look.period_ms)
                                    : in_circle(place, phase, look.period_ms);
    const std::uint32_t range = static_cast<std::uint32_t>(look.most) - look.least;
    colors[place] = scaled(look.color, look.least + range * level / 255);
  }
  return colors;
}

void Light::step(Effects& effects, bool on, DeviceState state, std::uint8_t brightness,
                 Millis now) {
  if (brightness > 0 && next_.is_set() && !next_.due(now)) return;
  next_.set(now, kStepMs);
  if (state != state_) {
    state_ = state;
    since_ = now;
    resting_ = false;
  }
  if (elapsed(since_, now) >= kRestMs) resting_ = true;
  if (!on && !sent_) return;  // something else may hang on that pin
  const LedColors wanted = on && brightness > 0 ? colors(brightness, now) : LedColors{};
  // Lights keep their colour across a restart of the chip, so the first are sent in any case.
  if (!sent_ || wanted != shown_) effects.show_leds(wanted);
  shown_ = wanted;
  sent_ = on;
}

LedColors Light::colors(std::uint8_t brightness, Millis now) const {
  LedColors colors{};
  if (has_color_) {
    colors.fill(color_);
  } else if (state_ != DeviceState::kIdle || !resting_) {
    colors = light_pattern(state_, elapsed(since_, now));
  }
  const std::uint32_t percent = brightness < 100 ? brightness : 100;
  const std::uint32_t most = kMost * percent / 100;
  for (LedColor& color : colors) color = scaled(color, most > 0 ? most : 1);
  return colors;
}

}  // namespace lobug
