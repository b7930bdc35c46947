#include "lobug/body/scs_bus.h"

namespace lobug {
namespace {

constexpr std::uint8_t kHead = 0xFF;
constexpr std::uint8_t kBroadcast = 0xFE;
constexpr std::uint8_t kRead = 2;
constexpr std::uint8_t kWrite = 3;

// Places in a servo's memory.
constexpr std::uint8_t kTorque = 40;
constexpr std::uint8_t kGoalPosition = 42;  // then time in ms, then speed
constexpr std::uint8_t kPresentPosition = 56;

constexpr std::uint16_t kNoPosition = 0xFFFF;

// The higher byte comes first, unlike with Feetech's STS servos.
constexpr std::uint8_t high(std::uint16_t value) { return static_cast<std::uint8_t>(value >> 8U); }
constexpr std::uint8_t low(std::uint16_t value) { return static_cast<std::uint8_t>(value & 0xFFU); }

}  // namespace

ScsFrame::ScsFrame(std::uint8_t servo, std::uint8_t instruction, std::uint8_t address, Bytes data) {
  // Counted are instruction, address, data and the sum itself.
  const auto length = static_cast<std::uint8_t>(data.size() + 3);
  std::uint8_t sum = 0;
  const auto put = [&](std::uint8_t byte) {
    bytes_[size_++] = byte;
    sum = static_cast<std::uint8_t>(sum + byte);
  };
  bytes_[size_++] = kHead;
  bytes_[size_++] = kHead;
  put(servo);
  put(length);
  put(instruction);
  put(address);
  for (const std::uint8_t byte : data) put(byte);
  bytes_[size_++] = static_cast<std::uint8_t>(~sum);
}

ScsFrame ScsFrame::goal(std::uint8_t servo, std::uint16_t position, std::uint16_t ms) {
  const std::uint8_t data[] = {high(position), low(position), high(ms), low(ms), 0, 0};
  return {servo, kWrite, kGoalPosition, Bytes(data)};
}

ScsFrame ScsFrame::torque(std::uint8_t servo, bool on) {
  const std::uint8_t data[] = {static_cast<std::uint8_t>(on ? 1 : 0)};
  return {servo, kWrite, kTorque, Bytes(data)};
}

ScsFrame ScsFrame::ask_position(std::uint8_t servo) {
  const std::uint8_t data[] = {2};
  return {servo, kRead, kPresentPosition, Bytes(data)};
}

std::uint16_t ScsAnswer::position() const {
  if (size != 2) return kNoPosition;
  return static_cast<std::uint16_t>(data[0] << 8U | data[1]);
}

bool ScsReader::feed(std::uint8_t byte) {
  switch (state_) {
    case State::kFirst:
      if (byte == kHead) state_ = State::kSecond;
      return false;
    case State::kSecond:
      state_ = byte == kHead ? State::kServo : State::kFirst;
      return false;
    case State::kServo:
      // A third 0xFF is still the beginning, whose first byte was noise.
      if (byte == kHead) return false;
      answer_ = ScsAnswer();
      answer_.servo = byte;
      sum_ = byte;
      state_ = byte == kBroadcast ? State::kFirst : State::kLength;
      return false;
    case State::kLength:
      if (byte < 2 || byte - 2U > ScsAnswer::kMostData) {
        state_ = byte == kHead ? State::kSecond : State::kFirst;
        return false;
      }
      awaited_ = static_cast<std::uint8_t>(byte - 2U);
      sum_ = static_cast<std::uint8_t>(sum_ + byte);
      state_ = State::kFault;
      return false;
    case State::kFault:
      answer_.fault = byte;
      sum_ = static_cast<std::uint8_t>(sum_ + byte);
      state_ = awaited_ > 0 ? State::kData : State::kSum;
      return false;
    case State::kData:
      answer_.data[answer_.size++] = byte;
      sum_ = static_cast<std::uint8_t>(sum_ + byte);
      if (answer_.size == awaited_) state_ = State::kSum;
      return false;
    case State::kSum:
      state_ = State::kFirst;
      if (byte == static_cast<std::uint8_t>(~sum_)) return true;
      if (byte == kHead) state_ = State::kSecond;
      return false;
  }
  return false;
}

}  // namespace lobug
