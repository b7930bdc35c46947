// Moves a head: eased, within its reach, not too fast, one servo beginning after the other, and
// limp again soon after.
#pragma once

#include <array>
#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/body/attitude.h"
#include "lobug/body/servos.h"

namespace lobug {

class HeadDrive {
 public:
  static constexpr Millis kStepMs = 20;  ///< as often as a hobby servo takes a pulse
  /// A hand that is hit by the head shall not be hurt, and a battery shall not give way: at most
  /// 120 degrees a second, in the middle of a movement.
  static constexpr std::int32_t kMostSpeed = 1200;
  /// A motor takes most when it begins to turn. Until the first one does, the second waits.
  static constexpr Millis kApartMs = 150;
  static constexpr Millis kHoldMs = 600;  ///< the servos are strong so long after a movement

  explicit HeadDrive(const Attitude& rest) : at_(rest) {}

  /// Other servos, or none: the old ones are let go.
  void use(Servos* servos, const Reach& reach);
  /// Goes there in `ms`, or as fast as it may. What is under way goes on from where it is.
  void go(const Attitude& target, Millis ms);
  /// Stays where it is now.
  void halt();
  /// The servos were calibrated anew: they get their angles again, if they are strong.
  void renew() { renew_ = true; }
  /// At once, whatever is under way.
  void let_go();
  /// `hold`: the servos stay strong while nothing moves. False when the servos have been found not
  /// to answer; what was under way is given up then.
  bool step(bool hold, Millis now);

  const Attitude& at() const { return at_; }
  bool moving() const { return courses_[0].wanted || courses_[1].wanted; }
  /// The servos have their supply.
  bool powered() const { return powered_; }
  /// They did not answer when they were woken last.
  bool silent() const { return silent_; }

 private:
  struct Course {
    bool wanted = false;  ///< there is somewhere to go
    bool begun = false;
    std::int16_t from = 0;
    std::int16_t to = 0;
    Millis ms = 0;
    Millis passed = 0;
  };

  bool awake(Millis now);
  void run(Axis axis, Millis passed, Millis now);
  std::int16_t& angle(Axis axis) { return axis == Axis::kYaw ? at_.yaw : at_.pitch; }

  Servos* servos_ = nullptr;
  Reach reach_{};
  Attitude at_;
  std::array<Course, kAxisCount> courses_{};
  bool powered_ = false;
  bool ready_ = false;
  bool silent_ = false;
  bool renew_ = false;
  bool stepped_ = false;
  Millis last_ = 0;  ///< the last step that counted
  Deadline apart_;   ///< until then no other servo begins
  Deadline hold_;    ///< until then they stay strong
};

}  // namespace lobug
