// Where a head may point, and what a body is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lobug {

/// How the servos are attached. A board finds StackChan's base by itself, hobby servos it cannot.
enum class BodyKind : std::uint8_t {
  kAuto,       ///< the base that the board has found, if any
  kNone,       ///< no body, whatever was found
  kPortA,      ///< hobby servos on port A
  kPortC,      ///< ... on port C
  kM5Bus,      ///< ... on the M5-Bus, as Stack-chan's own circuit board has them
  kStackChan,  ///< M5Stack's StackChan: serial bus servos, touch sensor and lights in its base
};

/// As the setting has them.
constexpr std::string_view kBodyNames[] = {"auto",   "none",  "port_a",
                                           "port_c", "m5bus", "stackchan"};
constexpr std::string_view name_of(BodyKind kind) {
  return kBodyNames[static_cast<std::size_t>(kind)];
}

enum class Axis : std::uint8_t { kYaw, kPitch };
constexpr std::size_t kAxisCount = 2;
constexpr Axis kAxes[kAxisCount] = {Axis::kYaw, Axis::kPitch};

/// Angles of a head, in tenths of a degree.
struct Attitude {
  std::int16_t yaw = 0;    ///< 0: straight ahead; positive: to the device's own right
  std::int16_t pitch = 0;  ///< 0: the screen is upright; positive: it looks up
};
constexpr bool operator==(const Attitude& left, const Attitude& right) {
  return left.yaw == right.yaw && left.pitch == right.pitch;
}
constexpr bool operator!=(const Attitude& left, const Attitude& right) { return !(left == right); }

constexpr std::int16_t angle_of(const Attitude& attitude, Axis axis) {
  return axis == Axis::kYaw ? attitude.yaw : attitude.pitch;
}

/// Nobody's calibration is off by more, tenths of a degree.
constexpr std::int16_t kMostOffset = 300;

/// What the owner has found out about the servos.
struct Calibration {
  Attitude offset;            ///< added to each angle; at most kMostOffset either way
  bool yaw_reversed = false;  ///< the servo stands on its head
};
constexpr bool operator==(const Calibration& left, const Calibration& right) {
  return left.offset == right.offset && left.yaw_reversed == right.yaw_reversed;
}
constexpr bool operator!=(const Calibration& left, const Calibration& right) {
  return !(left == right);
}

/// How far a head may turn.
struct Reach {
  std::int16_t most_yaw;  ///< either way
  std::int16_t least_pitch;
  std::int16_t most_pitch;
};

/// StackChan's pitch is that for which M5Stack says that nothing binds, 5 to 85 degrees. Its yaw
/// could go to 128; at 90 the cable has rest. A hobby servo under Stack-chan's head can lift it by
/// 30 degrees before the shell touches.
constexpr Reach reach_of(BodyKind kind) {
  return kind == BodyKind::kStackChan ? Reach{900, 50, 850} : Reach{750, 50, 300};
}

constexpr Attitude limited(const Attitude& wanted, const Reach& reach) {
  const auto between = [](std::int16_t value, int least, int most) {
    return static_cast<std::int16_t>(value < least ? least : value > most ? most : value);
  };
  return {between(wanted.yaw, -reach.most_yaw, reach.most_yaw),
          between(wanted.pitch, reach.least_pitch, reach.most_pitch)};
}

}  // namespace lobug
