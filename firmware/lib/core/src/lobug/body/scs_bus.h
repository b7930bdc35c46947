// Frames of Feetech's SCS servos: a serial bus at 1 Mbit/s with two bytes of 0xFF before each
// frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lobug/base/span.h"

namespace lobug {

/// What is sent to a servo.
class ScsFrame {
 public:
  static constexpr std::size_t kMost = 13;

  /// Go to that position (0 to 1023) within `ms`.
  static ScsFrame goal(std::uint8_t servo, std::uint16_t position, std::uint16_t ms);
  static ScsFrame torque(std::uint8_t servo, bool on);
  /// Asks where it is; the answer is an ScsAnswer with two bytes of data.
  static ScsFrame ask_position(std::uint8_t servo);

  Bytes bytes() const { return {bytes_.data(), size_}; }

 private:
  ScsFrame(std::uint8_t servo, std::uint8_t instruction, std::uint8_t address, Bytes data);

  std::array<std::uint8_t, kMost> bytes_{};
  std::size_t size_ = 0;
};

/// What a servo has answered.
struct ScsAnswer {
  static constexpr std::size_t kMostData = 8;
  std::uint8_t servo = 0;
  std::uint8_t fault = 0;  ///< bits; 0: none
  std::array<std::uint8_t, kMostData> data{};
  std::uint8_t size = 0;  ///< of the data

  /// The position that was asked for; more than 1023 when this answer is not one of that.
  std::uint16_t position() const;
};

/// Finds answers in what comes from the bus, byte by byte. What is damaged is passed over, to the
/// next beginning of a frame. On a bus of one wire one's own frames come back: they are none of a
/// servo's, since no position is as large as the address that they hold.
class ScsReader {
 public:
  /// True when an answer is complete; it is in `answer`.
  bool feed(std::uint8_t byte);
  const ScsAnswer& answer() const { return answer_; }
  void clear() { state_ = State::kFirst; }

 private:
  enum class State : std::uint8_t { kFirst, kSecond, kServo, kLength, kFault, kData, kSum };

  State state_ = State::kFirst;
  ScsAnswer answer_;
  std::uint8_t awaited_ = 0;  ///< bytes of data
  std::uint8_t sum_ = 0;
};

}  // namespace lobug
