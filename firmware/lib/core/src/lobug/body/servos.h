// Two servos under a head: from the angles that are wanted to what goes down the wires.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "lobug/base/clock.h"
#include "lobug/body/attitude.h"
#include "lobug/body/scs_bus.h"
#include "lobug/ports/body.h"

namespace lobug {

/// One kind of servos. Off at the beginning.
class Servos {
 public:
  enum class State : std::uint8_t {
    kOff,
    kWaking,  ///< have got their supply, and are asked where they are
    kReady,
    kSilent,  ///< they do not answer, and are off
  };

  virtual ~Servos() = default;
  virtual void calibrate(const Calibration& calibration) = 0;
  /// Begins what ends in kReady or kSilent.
  virtual void wake(Millis now) = 0;
  virtual State step(Millis now) = 0;
  /// In kReady: where this axis is; none when the servo cannot say.
  virtual std::optional<std::int16_t> found(Axis axis) const = 0;
  /// In kReady: go there, tenths of a degree.
  virtual void turn(Axis axis, std::int16_t angle) = 0;
  /// Limp, and without supply where that can be cut.
  virtual void sleep() = 0;
};

/// Hobby servos such as SG90: 180 degrees, nothing comes back.
class HobbyServos final : public Servos {
 public:
  /// The library that Stack-chan's makers use takes these for 0 and 180 degrees.
  static constexpr std::int32_t kLeastPulse = 544;  ///< microseconds
  static constexpr std::int32_t kMostPulse = 2400;

  explicit HobbyServos(BodyPort& port) : port_(port) {}
  void calibrate(const Calibration& calibration) override { calibration_ = calibration; }
  void wake(Millis now) override;
  State step(Millis now) override;
  std::optional<std::int16_t> found(Axis axis) const override;
  void turn(Axis axis, std::int16_t angle) override;
  void sleep() override;

 private:
  BodyPort& port_;
  Calibration calibration_;
  State state_ = State::kOff;
};

/// The two SCS0009 of StackChan, on a serial bus. They say where they are, so that the first
/// movement begins there, and their supply is off while nothing moves.
class BusServos final : public Servos {
 public:
  static constexpr Millis kStartMs = 300;  ///< from its supply on until a servo listens
  static constexpr Millis kAnswerMs = 30;  ///< it answers within one
  static constexpr std::uint8_t kTries = 5;

  explicit BusServos(BodyPort& port) : port_(port) {}
  void calibrate(const Calibration& calibration) override { calibration_ = calibration; }
  void wake(Millis now) override;
  State step(Millis now) override;
  std::optional<std::int16_t> found(Axis axis) const override;
  void turn(Axis axis, std::int16_t angle) override;
  void sleep() override;

 private:
  void listen();
  void hold();
  std::uint16_t position_of(Axis axis, std::int16_t angle) const;
  std::int16_t angle_at(Axis axis, std::uint16_t position) const;
  void send(const ScsFrame& frame) { port_.send(frame.bytes()); }

  BodyPort& port_;
  Calibration calibration_;
  ScsReader reader_;
  State state_ = State::kOff;
  Deadline due_;                ///< the next question
  std::size_t asked_ = 0;       ///< the axis that is asked, as a number
  std::uint8_t questions_ = 0;  ///< that it has had
  std::array<std::optional<std::uint16_t>, kAxisCount> positions_{};
};

}  // namespace lobug
