#include "lobug/body/head_drive.h"

#include <algorithm>

#include "lobug/face/fixed.h"

namespace lobug {
namespace {

// The task may have been held up, by a TLS handshake for example: the head does not jump after it.
constexpr Millis kMostPassed = 2 * HeadDrive::kStepMs;

/// How long a way takes at least. The easing's top speed is one and a half times the average.
constexpr Millis least_ms(std::int32_t way) {
  return static_cast<Millis>((way < 0 ? -way : way) * 1500 / HeadDrive::kMostSpeed);
}

}  // namespace

void HeadDrive::use(Servos* servos, const Reach& reach) {
  let_go();
  servos_ = servos;
  reach_ = reach;
  silent_ = false;
}

void HeadDrive::go(const Attitude& target, Millis ms) {
  if (servos_ == nullptr) return;
  const Attitude aim = limited(target, reach_);
  for (const Axis axis : kAxes) {
    Course& course = courses_[static_cast<std::size_t>(axis)];
    const std::int16_t to = angle_of(aim, axis);
    if (course.wanted && course.to == to) continue;
    course = Course();
    course.wanted = to != angle(axis) || !powered_;
    course.to = to;
    course.ms = ms;
  }
}

void HeadDrive::halt() { courses_ = {}; }

void HeadDrive::let_go() {
  halt();
  if (powered_ && servos_ != nullptr) servos_->sleep();
  powered_ = ready_ = false;
  hold_.clear();
}

bool HeadDrive::step(bool hold, Millis now) {
  if (servos_ == nullptr) return true;
  const Millis since = elapsed(last_, now);
  if (stepped_ && since < kStepMs) return true;
  const Millis passed = stepped_ && since < kMostPassed ? since : kMostPassed;
  stepped_ = true;
  last_ = now;
  if (apart_.due(now)) apart_.clear();
  if (!moving() && !hold && !powered_) return true;
  if (!awake(now)) return powered_;
  if (moving() || hold) hold_.set(now, kHoldMs);
  for (const Axis axis : kAxes) {
    if (renew_) servos_->turn(axis, angle(axis));
    run(axis, passed, now);
  }
  renew_ = false;
  if (hold_.due(now)) let_go();
  return true;
}

bool HeadDrive::awake(Millis now) {
  if (!powered_) {
    powered_ = true;
    servos_->wake(now);
  }
  const Servos::State state = servos_->step(now);
  if (state == Servos::State::kSilent) {
    silent_ = true;
    let_go();
    return false;
  }
  if (state != Servos::State::kReady) return false;
  if (!ready_) {
    ready_ = true;
    silent_ = false;
    for (const Axis axis : kAxes) {
      // Somebody may have turned the head by hand, or it has sunk.
      if (const auto found = servos_->found(axis)) angle(axis) = *found;
    }
  }
  return true;
}

void HeadDrive::run(Axis axis, Millis passed, Millis now) {
  Course& course = courses_[static_cast<std::size_t>(axis)];
  if (!course.wanted) return;
  if (!course.begun) {
    if (apart_.is_set()) return;
    course.begun = true;
    course.from = angle(axis);
    course.ms = std::max(course.ms, least_ms(course.to - course.from));
    apart_.set(now, kApartMs);
  }
  course.passed += passed;
  const bool there = course.passed >= course.ms;
  const std::int32_t way = course.to - course.from;
  const int progress = there ? 256 : static_cast<int>(course.passed * 256 / course.ms);
  angle(axis) =
      there ? course.to : static_cast<std::int16_t>(course.from + way * eased(progress) / 256);
  servos_->turn(axis, angle(axis));
  if (there) course.wanted = false;
}

}  // namespace lobug
