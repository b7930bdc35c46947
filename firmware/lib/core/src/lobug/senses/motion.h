// What the device feels of being held, moved, shaken and tapped.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"

namespace lobug {

/// One reading of the motion sensor. Acceleration in g, rotation in degrees a second.
struct MotionSample {
  float accel_x = 0, accel_y = 0, accel_z = 1;
  float gyro_x = 0, gyro_y = 0, gyro_z = 0;
};

/// The words of `POST /context/sensors`.
enum class Orientation : std::uint8_t {
  kUnknown, kFaceUp, kFaceDown, kUpright, kUpsideDown, kLeftSide, kRightSide,
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
  /// Tilt of the screen as gaze: -1 (left, up) to 1 (right, down), 0 when upright.
  float gaze_x = 0, gaze_y = 0;
};

/// Fed with each reading, 25 to 100 a second.
class MotionSense {
 public:
  const Motion& update(const MotionSample& sample, Millis now);
  const Motion& motion() const { return motion_; }

 private:
  Motion motion_;
};

}  // namespace lobug
