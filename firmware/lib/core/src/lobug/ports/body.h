// The pins and chips of a body: servos, their supply, the touch sensor on the head.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lobug/base/span.h"
#include "lobug/body/attitude.h"

namespace lobug {

/// Nothing here waits for a servo. Used by the device's thread.
class BodyPort {
 public:
  virtual ~BodyPort() = default;
  /// Whether StackChan's base answered when the device started.
  virtual bool has_base() const = 0;
  /// Takes the pins of a body; false when the board has none such. What was open is closed before.
  virtual bool open(BodyKind kind) = 0;
  virtual void close() = 0;

  /// Hobby servos: the length of a pulse, 50 a second, in microseconds; 0: none, the servo is
  /// limp.
  virtual void pulse(Axis axis, std::uint16_t microseconds) = 0;

  /// StackChan: the supply of its servos.
  virtual void supply(bool on) = 0;
  /// StackChan: onto the servos' bus, 1 Mbit/s. What does not fit is lost.
  virtual void send(Bytes frame) = 0;
  /// StackChan: what has come from the bus; 0: nothing now.
  virtual std::size_t receive(MutableBytes into) = 0;
  /// StackChan: what the touch sensor has of its three zones, two bits each, the front one lowest;
  /// 0: nobody touches.
  virtual std::uint8_t head_touch() = 0;
};

}  // namespace lobug
