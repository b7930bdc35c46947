#include "lobug/face/face.h"

#include "lobug/face/fixed.h"

namespace lobug {
namespace {

constexpr int kLongestStepMs = 100;
constexpr int kBlendMs = 110;  // time constant from one expression to the next

constexpr int kCloseMs = 100;  // three frames: in two it would be a jerk
constexpr int kClosedMs = 40;
constexpr int kOpenMs = 110;
constexpr int kBlinkMs = kCloseMs + kClosedMs + kOpenMs;
constexpr Millis kBlinkLeast = 1800;
constexpr Millis kBlinkRange = 4200;
constexpr Millis kSecondBlink = 120;

constexpr Millis kSaccadeLeast = 500;
constexpr Millis kSaccadeRange = 2600;
constexpr int kSaccadeMs = 25;
constexpr int kTiltMs = 160;

// The mouth opens fast and closes slowly, as mouths do, or it would flutter.
constexpr int kAttackMs = 18;
constexpr int kReleaseMs = 75;
constexpr int kExcitementMs = 600;

constexpr int kPropMs = 260;

// Asleep it moves four times a second. Nobody looks closely, and all other frames cost nothing.
constexpr std::uint32_t kStillMs = 250;

}  // namespace

Face::Face(Random& random) : random_(random) {}

Millis Face::some_time(Millis least, Millis range) { return least + random_.next() % range; }

void Face::update(const FaceInput& input, Millis now) {
  const Expression& wanted = *input.expression;
  if (!started_) {
    started_ = true;
    last_ = now;
    for (std::size_t index = 0; index < kFeatureCount; ++index) {
      state_.features[index] = static_cast<std::int16_t>(wanted.features[index] * 16);
    }
    next_blink_.set(now, some_time(kBlinkLeast, kBlinkRange));
    next_saccade_.set(now, some_time(kSaccadeLeast, kSaccadeRange));
  }
  const Millis passed = elapsed(last_, now);
  last_ = now;
  const int dt_ms = passed < kLongestStepMs ? static_cast<int>(passed) : kLongestStepMs;
  clock_ms_ += static_cast<std::uint32_t>(dt_ms);
  state_.clock_ms = input.still ? clock_ms_ - clock_ms_ % kStillMs : clock_ms_;
  state_.glow = input.glow;
  state_.pulse = input.pulse;
  if (dt_ms == 0) return;

  for (std::size_t index = 0; index < kFeatureCount; ++index) {
    const int target = wanted.features[index] * 16;
    state_.features[index] =
        static_cast<std::int16_t>(approached(state_.features[index], target, dt_ms, kBlendMs));
  }
  move_eyelids(input, dt_ms, now);
  move_gaze(input, dt_ms, now);
  move_mouth(input, dt_ms);
  move_prop(wanted.prop, dt_ms);
}

void Face::move_eyelids(const FaceInput& input, int dt_ms, Millis now) {
  if (blink_ms_ < 0) {
    if (!next_blink_.due(now)) return;
    if (input.still) {
      next_blink_.set(now, kBlinkLeast);
      return;
    }
    blink_ms_ = 0;
    blink_twice_ = random_.next() % 6 == 0;
  }
  blink_ms_ += dt_ms;
  if (blink_ms_ < kCloseMs) {
    state_.blink = 256 * blink_ms_ / kCloseMs;
  } else if (blink_ms_ < kCloseMs + kClosedMs) {
    state_.blink = 256;
  } else if (blink_ms_ < kBlinkMs) {
    state_.blink = 256 * (kBlinkMs - blink_ms_) / kOpenMs;
  } else {
    state_.blink = 0;
    blink_ms_ = -1;
    next_blink_.set(now, blink_twice_ ? kSecondBlink : some_time(kBlinkLeast, kBlinkRange));
  }
}

void Face::move_gaze(const FaceInput& input, int dt_ms, Millis now) {
  if (next_saccade_.due(now)) {
    next_saccade_.set(now, some_time(kSaccadeLeast, kSaccadeRange));
    // Half of the time straight on, or it would seem restless.
    const std::uint32_t bits = random_.next();
    const bool away = (bits & 1U) != 0 && !input.still;
    saccade_x_ = away ? static_cast<int>((bits >> 8U) % 900) - 450 : 0;
    saccade_y_ = away ? static_cast<int>((bits >> 20U) % 500) - 250 : 0;
  }
  saccade_at_x_ = approached(saccade_at_x_, saccade_x_, dt_ms, kSaccadeMs);
  saccade_at_y_ = approached(saccade_at_y_, saccade_y_, dt_ms, kSaccadeMs);
  // A tilt turns the eyes at most by 70 percent.
  tilt_x_ = approached(tilt_x_, clamped(input.gaze_x, -256, 256) * 70 * 16 / 256, dt_ms, kTiltMs);
  tilt_y_ = approached(tilt_y_, clamped(input.gaze_y, -256, 256) * 70 * 16 / 256, dt_ms, kTiltMs);
  state_.look_x = saccade_at_x_ + tilt_x_;
  state_.look_y = saccade_at_y_ + tilt_y_;
}

void Face::move_mouth(const FaceInput& input, int dt_ms) {
  const int target = input.talking ? input.level * 256 / 255 : 0;
  const int tau_ms = target > state_.mouth ? kAttackMs : kReleaseMs;
  state_.mouth = approached(state_.mouth, target, dt_ms, tau_ms);
  state_.excitement = approached(state_.excitement, target, dt_ms, kExcitementMs);
}

void Face::move_prop(Prop wanted, int dt_ms) {
  const int step = 256 * dt_ms / kPropMs + 1;
  if (state_.prop != wanted) {
    // The old one leaves before the new one comes.
    state_.prop_size = clamped(state_.prop_size - 2 * step, 0, 256);
    if (state_.prop_size == 0) state_.prop = wanted;
  } else if (wanted != Prop::kNone) {
    state_.prop_size = clamped(state_.prop_size + step, 0, 256);
  }
}

}  // namespace lobug
