#include "lobug/body/servos.h"

#include "lobug/face/fixed.h"

namespace lobug {
namespace {

constexpr std::int32_t kMiddle = 900;  // of a hobby servo, which turns by 180 degrees
constexpr std::int32_t kTurn = 1800;

/// A servo of StackChan. Zero is what M5Stack's firmware takes until it was calibrated; a position
/// is 0.3125 degrees. Beyond 1000 it would turn for ever.
struct BusServo {
  std::uint8_t id;
  std::int32_t zero;
};
constexpr BusServo kBusServos[kAxisCount] = {{1, 460}, {2, 620}};
constexpr std::int32_t kMostPosition = 1000;
constexpr std::uint16_t kLastPosition = 1023;  // that a servo can tell
/// A goal is reached in as long as it takes until the next one comes.
constexpr std::uint16_t kGoalMs = 20;

const BusServo& servo_of(Axis axis) { return kBusServos[static_cast<std::size_t>(axis)]; }

std::int32_t calibrated(const Calibration& calibration, Axis axis, std::int32_t angle) {
  const std::int32_t turned = angle + angle_of(calibration.offset, axis);
  return axis == Axis::kYaw && calibration.yaw_reversed ? -turned : turned;
}

}  // namespace

void HobbyServos::wake(Millis /*now*/) { state_ = State::kReady; }

Servos::State HobbyServos::step(Millis /*now*/) { return state_; }

std::optional<std::int16_t> HobbyServos::found(Axis /*axis*/) const { return std::nullopt; }

// Stack-chan looks up when the servo under its head turns back, and to its left when the other one
// turns on.
void HobbyServos::turn(Axis axis, std::int16_t angle) {
  const std::int32_t servo = clamped(kMiddle - calibrated(calibration_, axis, angle), 0, kTurn);
  const std::int32_t pulse = kLeastPulse + servo * (kMostPulse - kLeastPulse) / kTurn;
  port_.pulse(axis, static_cast<std::uint16_t>(pulse));
}

void HobbyServos::sleep() {
  for (const Axis axis : kAxes) port_.pulse(axis, 0);
  state_ = State::kOff;
}

void BusServos::wake(Millis now) {
  port_.supply(true);
  reader_.clear();
  positions_ = {};
  asked_ = 0;
  questions_ = 0;
  due_.set(now, kStartMs);
  state_ = State::kWaking;
}

Servos::State BusServos::step(Millis now) {
  listen();
  if (state_ != State::kWaking) return state_;
  while (asked_ < kAxisCount && positions_[asked_]) {
    ++asked_;
    questions_ = 0;
    due_.set(now, 0);
  }
  if (asked_ >= kAxisCount) {
    hold();
    return state_;
  }
  if (due_.due(now) && questions_ == kTries) {
    sleep();
    state_ = State::kSilent;
  } else if (due_.due(now)) {
    ++questions_;
    due_.set(now, kAnswerMs);
    send(ScsFrame::ask_position(kBusServos[asked_].id));
  }
  return state_;
}

// The goal comes first: a servo that gets its torque goes there at once.
void BusServos::hold() {
  for (std::size_t axis = 0; axis < kAxisCount; ++axis) {
    const std::uint16_t position = positions_[axis].value_or(0);  // all are known here
    send(ScsFrame::goal(kBusServos[axis].id, position, kGoalMs));
    send(ScsFrame::torque(kBusServos[axis].id, true));
  }
  state_ = State::kReady;
}

void BusServos::listen() {
  std::array<std::uint8_t, 32> bytes{};
  std::size_t count = 0;
  do {
    count = port_.receive(MutableBytes(bytes.data(), bytes.size()));
    for (std::size_t place = 0; place < count; ++place) {
      if (!reader_.feed(bytes[place])) continue;
      const ScsAnswer& answer = reader_.answer();
      for (std::size_t axis = 0; axis < kAxisCount; ++axis) {
        const bool told = answer.servo == kBusServos[axis].id && answer.position() <= kLastPosition;
        if (told) positions_[axis] = answer.position();
      }
    }
  } while (count == bytes.size());
}

std::uint16_t BusServos::position_of(Axis axis, std::int16_t angle) const {
  const std::int32_t turned = calibrated(calibration_, axis, angle);
  return static_cast<std::uint16_t>(
      clamped(servo_of(axis).zero + turned * 16 / 50, 0, kMostPosition));
}

std::int16_t BusServos::angle_at(Axis axis, std::uint16_t position) const {
  std::int32_t turned = (position - servo_of(axis).zero) * 50 / 16;
  if (axis == Axis::kYaw && calibration_.yaw_reversed) turned = -turned;
  return static_cast<std::int16_t>(turned - angle_of(calibration_.offset, axis));
}

std::optional<std::int16_t> BusServos::found(Axis axis) const {
  const std::optional<std::uint16_t>& position = positions_[static_cast<std::size_t>(axis)];
  if (!position) return std::nullopt;
  return angle_at(axis, *position);
}

void BusServos::turn(Axis axis, std::int16_t angle) {
  send(ScsFrame::goal(servo_of(axis).id, position_of(axis, angle), kGoalMs));
}

void BusServos::sleep() {
  for (const Axis axis : kAxes) send(ScsFrame::torque(servo_of(axis).id, false));
  port_.supply(false);
  state_ = State::kOff;
}

}  // namespace lobug
