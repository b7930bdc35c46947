// The pins of a body: hobby servos on the chip's PWM, or StackChan's servos on a UART.
#pragma once

#include "lobug/ports/body.h"
#include "stackchan_base.h"

namespace lobug {

class ChipBody final : public BodyPort {
 public:
  explicit ChipBody(StackChanBase& base) : base_(base) {}
  bool has_base() const override { return base_.found(); }
  bool open(BodyKind kind) override;
  void close() override;
  void pulse(Axis axis, std::uint16_t microseconds) override;
  void supply(bool on) override;
  void send(Bytes frame) override;
  std::size_t receive(MutableBytes into) override;
  std::uint8_t head_touch() override { return base_.head_touch(); }

 private:
  StackChanBase& base_;
  BodyKind open_ = BodyKind::kNone;
};

}  // namespace lobug
