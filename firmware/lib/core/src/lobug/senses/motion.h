// What the device feels of being held, moved, shaken and tapped.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"

namespace lobug {

/// One reading of the motion sensor. Acceleration in g, rotation in degrees a second. Axes of the
/// Core2 and the CoreS3: x to the right, y up along the screen, z out of it; at rest the reading is
/// +1 g along whatever points up (z when the device lies on its back).
struct MotionSample {
  float accel_x = 0, accel_y = 0, accel_z = 1;
  float gyro_x = 0, gyro_y = 0, gyro_z = 0;
};

/// The words of `POST /context/sensors`: what the screen looks at (up, down), or which edge of the
/// device is up. kLeftSide: it lies on its left edge.
enum class Orientation : std::uint8_t {
  kUnknown,
  kFaceUp,
  kFaceDown,
  kUpright,
  kUpsideDown,
  kLeftSide,
  kRightSide,
};
std::string_view name_of(Orientation orientation);

/// What is known now, after debounce and hysteresis.
struct Motion {
  MotionSample sample;
  Orientation orientation = Orientation::kUnknown;
  bool moving = false;
  bool shaking = false;
  /// Grows by one with each tap, so that none is missed by who looks seldom.
  std::uint32_t taps = 0;
  /// Grows by one with each reading of the sensor.
  std::uint32_t readings = 0;
  /// Tilt of the screen as gaze: -1 (left, up) to 1 (right, down), 0 when upright.
  float gaze_x = 0, gaze_y = 0;
};

/// Fed with each reading, 25 to 100 a second. What is no number counts as 0, and no reading as more
/// than the sensor can measure (16 g, 2,000 degrees a second).
class MotionSense {
 public:
  const Motion& update(const MotionSample& sample, Millis now);
  const Motion& motion() const { return motion_; }

 private:
  struct Vector {
    float x = 0, y = 0, z = 0;
  };
  static void follow(Vector& filtered, const Vector& value, float share);
  void find_orientation(Millis now);
  void find_moving(float jolt, float turning, float seconds, Millis now);
  void find_shaking(const Vector& jolt, float strength, Millis now);
  void find_tap(float jolt, float turning, Millis now);
  void find_gaze();

  Motion motion_;
  bool begun_ = false;
  Millis last_ = 0;
  Vector gravity_;
  Vector level_;  // the same for gaze and movement, which follows faster

  // Orientation: the candidate has to last before it is believed.
  Orientation candidate_ = Orientation::kUnknown;
  Deadline candidate_due_;

  float activity_ = 0.0F;  // above 1: it moves
  Deadline still_;         // moving ends when nothing moved until then

  // Shaking: when the strong jolts changed their direction, the latest times in a ring.
  static constexpr std::uint8_t kTurns = 4;
  Millis turns_[kTurns] = {};
  std::uint8_t turn_count_ = 0;
  std::uint8_t next_turn_ = 0;
  Vector push_;  // the last strong jolt
  bool pushed_ = false;
  Deadline shake_over_;

  // Tap: a spike that is over at once, with quiet before and behind it.
  Deadline loud_;        // set: it was loud a moment ago
  Deadline spike_over_;  // set while there may be a tap: from then on it has to be quiet
  Deadline confirmed_;   // ... until then
  Deadline tap_again_;   // set: too soon behind the last one
};

}  // namespace lobug
