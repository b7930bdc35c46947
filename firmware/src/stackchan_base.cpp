#include "stackchan_base.h"

#include <Arduino.h>
#include <M5Unified.h>

#include <array>

#include "chip.h"

namespace lobug {
namespace {

constexpr std::uint32_t kBusHz = 100000;  // as in M5Stack's firmware

// The expander (PY32), and its registers. Those of pins 8 to 13 follow on those of pins 0 to 7.
constexpr std::uint8_t kExpander = 0x6F;
constexpr std::uint8_t kVersion = 0x02;
constexpr std::uint8_t kOutput = 0x03;
constexpr std::uint8_t kLevel = 0x05;
constexpr std::uint8_t kPullUp = 0x09;
constexpr std::uint8_t kPullDown = 0x0B;
constexpr std::uint8_t kOpenDrain = 0x13;
constexpr std::uint8_t kLights = 0x24;
constexpr std::uint8_t kLightColors = 0x30;
constexpr std::uint8_t kServoSupply = 1U << 0U;  // pin 0
constexpr std::uint8_t kLightData = 1U << 5U;    // pin 13
constexpr std::uint8_t kShowLights = 1U << 6U;
constexpr std::size_t kLightCount = 12;

// It starts more slowly than the board, M5Stack's firmware waits 1.2 s for it. M5.begin has taken
// most of that.
constexpr int kTries = 6;
constexpr std::uint32_t kTryMs = 100;

// The touch sensor (Si12T).
constexpr std::uint8_t kTouch = 0x68;
constexpr std::uint8_t kTouchOutput = 0x10;
struct RegisterValue {
  std::uint8_t address;
  std::uint8_t value;
};
/// As M5Stack's firmware sets it: all channels on, reset, then at work, of low sensitivity 3.
constexpr RegisterValue kTouchSetup[] = {
    {0x0A, 0x00}, {0x0B, 0x00}, {0x0C, 0x00}, {0x0D, 0x00}, {0x0E, 0x00},
    {0x0F, 0x00}, {0x09, 0x0F}, {0x09, 0x07}, {0x08, 0x22}, {0x02, 0x33},
    {0x03, 0x33}, {0x04, 0x33}, {0x05, 0x33}, {0x06, 0x33},
};

bool answers() {
  std::uint8_t version = 0;
  return M5.In_I2C.readRegister(kExpander, kVersion, &version, 1, kBusHz) && version != 0 &&
         version != 0xFF;
}

void set(std::uint8_t address, std::uint8_t bits, bool on) {
  if (on) {
    (void)M5.In_I2C.bitOn(kExpander, address, bits, kBusHz);
  } else {
    (void)M5.In_I2C.bitOff(kExpander, address, bits, kBusHz);
  }
}

void make_output(std::uint8_t bank, std::uint8_t bits) {
  set(kPullDown + bank, bits, false);
  set(kPullUp + bank, bits, true);
  set(kOpenDrain + bank, bits, false);
  set(kOutput + bank, bits, true);
}

}  // namespace

void StackChanBase::begin() {
  if (!may_have_base(M5.getBoard())) return;
  for (int tried = 0; tried < kTries && !found_; ++tried) {
    if (tried > 0) delay(kTryMs);
    found_ = answers();
  }
  if (!found_) return;
  supply_servos(false);
  make_output(0, kServoSupply);
  make_output(1, kLightData);
  (void)M5.In_I2C.writeRegister8(kExpander, kLights, kLightCount, kBusHz);
  show_lights({});
  for (const RegisterValue& setting : kTouchSetup) {
    (void)M5.In_I2C.writeRegister8(kTouch, setting.address, setting.value, kBusHz);
  }
}

void StackChanBase::supply_servos(bool on) const {
  if (found_) set(kLevel, kServoSupply, on);
}

std::uint8_t StackChanBase::head_touch() const {
  std::uint8_t zones = 0;
  if (!found_ || !M5.In_I2C.readRegister(kTouch, kTouchOutput, &zones, 1, kBusHz)) return 0;
  return zones & 0x3FU;
}

void StackChanBase::show_lights(const LedColors& colors) const {
  if (!found_) return;
  std::array<std::uint8_t, kLightCount * 2> bytes{};
  for (std::size_t place = 0; place < kLightCount; ++place) {
    const LedColor& color = colors[place * colors.size() / kLightCount];
    // RGB565, the lower byte first.
    const unsigned value =
        (color.red & 0xF8U) << 8U | (color.green & 0xFCU) << 3U | color.blue >> 3U;
    bytes[place * 2] = static_cast<std::uint8_t>(value & 0xFFU);
    bytes[place * 2 + 1] = static_cast<std::uint8_t>(value >> 8U);
  }
  (void)M5.In_I2C.writeRegister(kExpander, kLightColors, bytes.data(), bytes.size(), kBusHz);
  (void)M5.In_I2C.writeRegister8(kExpander, kLights, kShowLights | kLightCount, kBusHz);
}

}  // namespace lobug
