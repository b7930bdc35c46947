#include "chip_body.h"

#include <Arduino.h>

#include "chip.h"

namespace lobug {
namespace {

// Hobby servos. Both channels hang on the same timer of LEDC, which nothing else here uses.
constexpr std::uint8_t kChannels[kAxisCount] = {6, 7};
constexpr std::uint32_t kPulsesPerSecond = 50;
constexpr std::uint8_t kDutyBits = 14;  // the most that an ESP32-S3 has
constexpr std::uint32_t kPeriodUs = 1000000 / kPulsesPerSecond;

// StackChan's bus.
constexpr std::uint32_t kBaud = 1000000;
constexpr std::int8_t kBusReceives = 7;
constexpr std::int8_t kBusSends = 6;

std::uint8_t channel_of(Axis axis) { return kChannels[static_cast<std::size_t>(axis)]; }

}  // namespace

bool ChipBody::open(BodyKind kind) {
  close();
  if (kind == BodyKind::kStackChan) {
    if (!base_.found()) return false;
    Serial1.begin(kBaud, SERIAL_8N1, kBusReceives, kBusSends);
  } else {
    const ServoPins pins = servo_pins(kind);
    if (!pins.exist()) return false;
    for (const Axis axis : kAxes) {
      if (ledcSetup(channel_of(axis), kPulsesPerSecond, kDutyBits) == 0) return false;
      ledcWrite(channel_of(axis), 0);
    }
    ledcAttachPin(pins.yaw, channel_of(Axis::kYaw));
    ledcAttachPin(pins.pitch, channel_of(Axis::kPitch));
  }
  open_ = kind;
  return true;
}

void ChipBody::close() {
  if (open_ == BodyKind::kStackChan) {
    base_.supply_servos(false);
    Serial1.end();
  } else if (open_ != BodyKind::kNone) {
    const ServoPins pins = servo_pins(open_);
    ledcDetachPin(pins.yaw);
    ledcDetachPin(pins.pitch);
  }
  open_ = BodyKind::kNone;
}

void ChipBody::pulse(Axis axis, std::uint16_t microseconds) {
  ledcWrite(channel_of(axis), (static_cast<std::uint32_t>(microseconds) << kDutyBits) / kPeriodUs);
}

void ChipBody::supply(bool on) { base_.supply_servos(on); }

// 13 bytes at most: they fit the UART's own memory, so nothing is waited for.
void ChipBody::send(Bytes frame) {
  if (open_ == BodyKind::kStackChan) (void)Serial1.write(frame.data(), frame.size());
}

std::size_t ChipBody::receive(MutableBytes into) {
  std::size_t count = 0;
  while (open_ == BodyKind::kStackChan && count < into.size() && Serial1.available() > 0) {
    into[count++] = static_cast<std::uint8_t>(Serial1.read());
  }
  return count;
}

}  // namespace lobug
