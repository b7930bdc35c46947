#include "lobug/senses/motion.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lobug {
namespace {

// Gravity is what of the acceleration changes slowly. Slower: a device that was turned over is
// believed late; faster: a shake counts as gravity.
constexpr float kGravitySeconds = 0.4F;
constexpr float kGazeSeconds = 0.2F;
// A knock of 2 g must not be taken for gravity at 25 readings a second, each of which counts a lot.
constexpr float kMostAtOnce = 0.5F;

// An edge is up when gravity is within 37 degrees of it, and stays up to 53 degrees.
constexpr float kUpEnters = 0.8F;
constexpr float kUpStays = 0.6F;
constexpr Millis kOrientationMs = 300;

// The sensor's own noise is about 0.01 g, its offset at rest some degrees a second.
constexpr float kMovingJolt = 0.1F;
constexpr float kMovingTurn = 20.0F;
constexpr float kActivitySeconds = 0.15F;
constexpr Millis kStillMs = 700;

constexpr float kShakeJolt = 0.9F;
constexpr Millis kShakeWithinMs = 900;
constexpr Millis kShakeOverMs = 600;

constexpr float kTapJolt = 0.45F;
constexpr float kQuietJolt = 0.2F;
constexpr float kQuietTurn = 60.0F;
constexpr Millis kSpikeMs = 80;         // a tap and its ringing are over by then
constexpr Millis kQuietBeforeMs = 150;  // a push begins softly, a tap does not
constexpr Millis kQuietBehindMs = 120;
constexpr Millis kTapAgainMs = 250;

float bounded(float value, float most) {
  if (!std::isfinite(value)) return 0.0F;
  return std::min(most, std::max(-most, value));
}

float length(float x, float y, float z) { return std::sqrt(x * x + y * y + z * z); }

float share(float seconds, float constant) { return seconds / (seconds + constant); }

}  // namespace

std::string_view name_of(Orientation orientation) {
  switch (orientation) {
    case Orientation::kUnknown:
      return "unknown";
    case Orientation::kFaceUp:
      return "face_up";
    case Orientation::kFaceDown:
      return "face_down";
    case Orientation::kUpright:
      return "upright";
    case Orientation::kUpsideDown:
      return "upside_down";
    case Orientation::kLeftSide:
      return "left_side";
    case Orientation::kRightSide:
      return "right_side";
  }
  return "unknown";
}

const Motion& MotionSense::update(const MotionSample& sample, Millis now) {
  ++motion_.readings;
  MotionSample& kept = motion_.sample;
  kept = {bounded(sample.accel_x, 16.0F),  bounded(sample.accel_y, 16.0F),
          bounded(sample.accel_z, 16.0F),  bounded(sample.gyro_x, 2000.0F),
          bounded(sample.gyro_y, 2000.0F), bounded(sample.gyro_z, 2000.0F)};
  const Vector accel{kept.accel_x, kept.accel_y, kept.accel_z};
  const float turning = length(kept.gyro_x, kept.gyro_y, kept.gyro_z);
  if (!begun_) {
    begun_ = true;
    last_ = now;
    gravity_ = accel;
    level_ = accel;
  }
  // After a pause (another task had the processor) the filters go on as after a short one.
  const float seconds = static_cast<float>(std::min<Millis>(elapsed(last_, now), 100)) / 1000.0F;
  last_ = now;

  const Vector jolt{accel.x - gravity_.x, accel.y - gravity_.y, accel.z - gravity_.z};
  const float strength = length(jolt.x, jolt.y, jolt.z);
  // The tap first: it asks whether the device was moving before the spike.
  find_tap(strength, turning, now);
  // Against what follows faster: a device that was put down is soon known to lie still.
  find_moving(length(accel.x - level_.x, accel.y - level_.y, accel.z - level_.z), turning, seconds,
              now);
  find_shaking(jolt, strength, now);
  follow(gravity_, accel, share(seconds, kGravitySeconds));
  follow(level_, accel, share(seconds, kGazeSeconds));
  find_orientation(now);
  find_gaze();
  return motion_;
}

void MotionSense::follow(Vector& filtered, const Vector& value, float share) {
  const Vector step{value.x - filtered.x, value.y - filtered.y, value.z - filtered.z};
  const float all = length(step.x, step.y, step.z);
  const float part = all > kMostAtOnce ? share * kMostAtOnce / all : share;
  filtered.x += step.x * part;
  filtered.y += step.y * part;
  filtered.z += step.z * part;
}

void MotionSense::find_orientation(Millis now) {
  const float all = length(gravity_.x, gravity_.y, gravity_.z);
  if (all < 0.3F) return;  // it falls, or the sensor is silent
  struct Side {
    Orientation orientation;
    float up;
  };
  const Side sides[] = {
      {Orientation::kFaceUp, gravity_.z / all},   {Orientation::kFaceDown, -gravity_.z / all},
      {Orientation::kUpright, gravity_.y / all},  {Orientation::kUpsideDown, -gravity_.y / all},
      {Orientation::kLeftSide, gravity_.x / all}, {Orientation::kRightSide, -gravity_.x / all},
  };
  Orientation found = Orientation::kUnknown;
  for (const Side& side : sides) {
    if (side.orientation == motion_.orientation && side.up > kUpStays) {
      candidate_ = Orientation::kUnknown;
      return;
    }
    if (side.up > kUpEnters) found = side.orientation;
  }
  if (found != candidate_) {
    candidate_ = found;
    candidate_due_.set(now, kOrientationMs);
  }
  if (candidate_ != Orientation::kUnknown && candidate_due_.due(now)) {
    motion_.orientation = candidate_;
  }
}

void MotionSense::find_moving(float jolt, float turning, float seconds, Millis now) {
  // Bounded, so that one spike (a tap, a door) is no movement.
  const float now_active = std::min(3.0F, std::max(jolt / kMovingJolt, turning / kMovingTurn));
  activity_ += (now_active - activity_) * share(seconds, kActivitySeconds);
  if (activity_ > 1.0F) motion_.moving = true;
  if (activity_ > 0.5F) still_.set(now, kStillMs);
  if (motion_.moving && still_.due(now)) motion_.moving = false;
}

void MotionSense::find_shaking(const Vector& jolt, float strength, Millis now) {
  if (strength > kShakeJolt) {
    const float along = jolt.x * push_.x + jolt.y * push_.y + jolt.z * push_.z;
    if (along < 0.0F || !pushed_) {
      turns_[next_turn_] = now;
      next_turn_ = static_cast<std::uint8_t>((next_turn_ + 1) % kTurns);
      if (turn_count_ < kTurns) ++turn_count_;
      // With the ring full, the next to be written over is the oldest.
      if (turn_count_ == kTurns && elapsed(turns_[next_turn_], now) <= kShakeWithinMs) {
        motion_.shaking = true;
      }
      if (motion_.shaking) shake_over_.set(now, kShakeOverMs);
    }
    push_ = jolt;
    pushed_ = true;
  }
  if (motion_.shaking && shake_over_.due(now)) {
    motion_.shaking = false;
    turn_count_ = 0;
    pushed_ = false;
  }
}

void MotionSense::find_tap(float jolt, float turning, Millis now) {
  // Cleared as soon as they are due: after 25 days they would be in the future again.
  if (loud_.due(now)) loud_.clear();
  if (tap_again_.due(now)) tap_again_.clear();
  const bool quiet = jolt < kQuietJolt && turning < kQuietTurn;
  const bool was_quiet = !loud_.is_set();
  if (!quiet) loud_.set(now, kQuietBeforeMs);

  if (!spike_over_.is_set()) {
    const bool may_begin = was_quiet && !motion_.moving && !motion_.shaking && !tap_again_.is_set();
    if (jolt > kTapJolt && may_begin) {
      spike_over_.set(now, kSpikeMs);
      confirmed_.set(now, kSpikeMs + kQuietBehindMs);
    }
    return;
  }
  if (spike_over_.due(now) && !quiet) {
    spike_over_.clear();  // it went on: a push, not a tap
    return;
  }
  if (confirmed_.due(now)) {
    spike_over_.clear();
    ++motion_.taps;
    tap_again_.set(now, kTapAgainMs - kSpikeMs - kQuietBehindMs);
  }
}

void MotionSense::find_gaze() {
  const float all = length(level_.x, level_.y, level_.z);
  if (all < 0.3F) return;
  // Full to the side at 45 degrees; up and down it takes the whole way to lying flat.
  motion_.gaze_x = bounded(-level_.x / all * 1.4142F, 1.0F);
  motion_.gaze_y = bounded(-level_.z / all, 1.0F);
}

}  // namespace lobug
