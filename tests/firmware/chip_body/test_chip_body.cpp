// The real src/chip_body.cpp and src/stackchan_base.cpp on a chip of memory:
// pins, pulses, the servos' bus, and the base's registers.
#include <Arduino.h>
#include <M5Unified.h>
#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "chip.h"
#include "chip_body.h"

namespace {

/// What the fakes below have been told.
struct Chip {
  bool base = true;
  bool touch_answers = true;
  int starts_after = 0; // questions that the expander leaves unanswered
  std::map<int, std::array<std::uint8_t, 256>> registers; // by I2C address
  std::map<int, int> duty;                                // by channel of LEDC
  std::map<int, int> pins;                                // their channels
  bool ledc_works = true;
  std::string uart; // how it was begun
  std::deque<std::uint8_t> received;
  std::vector<std::uint8_t> written;
} chip;

constexpr int kExpander = 0x6F, kTouch = 0x68;

std::uint8_t reg(int address, int place) {
  return chip.registers[address][static_cast<std::size_t>(place)];
}

} // namespace

namespace lobug {
bool may_have_base(int) { return true; }
ServoPins servo_pins(BodyKind kind) {
  return kind == BodyKind::kPortA ? ServoPins{33, 32} : ServoPins{};
}
} // namespace lobug

m5::M5Unified M5;
m5::I2C_Class m5::In_I2C;
HardwareSerial Serial1;

m5::board_t m5::M5Unified::getBoard() const {
  return m5gfx::board_M5StackCoreS3;
}
void m5::M5Unified::update() {}
bool m5::I2C_Class::readRegister(std::uint8_t address, std::uint8_t place,
                                 std::uint8_t *result, std::size_t,
                                 std::uint32_t) const {
  if (!chip.base || (address == kTouch && !chip.touch_answers))
    return false;
  if (address == kExpander && place == 2 && chip.starts_after-- > 0)
    return false;
  *result = reg(address, place);
  return true;
}
bool m5::I2C_Class::writeRegister(std::uint8_t address, std::uint8_t place,
                                  const std::uint8_t *data, std::size_t length,
                                  std::uint32_t) const {
  for (std::size_t at = 0; at < length; ++at)
    chip.registers[address][place + at] = data[at];
  return true;
}
bool m5::I2C_Class::writeRegister8(std::uint8_t address, std::uint8_t place,
                                   std::uint8_t data,
                                   std::uint32_t freq) const {
  return writeRegister(address, place, &data, 1, freq);
}
bool m5::I2C_Class::bitOn(std::uint8_t address, std::uint8_t place,
                          std::uint8_t bits, std::uint32_t) const {
  chip.registers[address][place] |= bits;
  return true;
}
bool m5::I2C_Class::bitOff(std::uint8_t address, std::uint8_t place,
                           std::uint8_t bits, std::uint32_t) const {
  chip.registers[address][place] &= static_cast<std::uint8_t>(~bits);
  return true;
}

void delay(std::uint32_t) {}
std::uint32_t ledcSetup(std::uint8_t, std::uint32_t hz, std::uint8_t bits) {
  CHECK(hz == 50);
  CHECK(bits == 14); // an ESP32-S3 has no more
  return chip.ledc_works ? hz : 0;
}
void ledcWrite(std::uint8_t channel, std::uint32_t duty) {
  chip.duty[channel] = static_cast<int>(duty);
}
void ledcAttachPin(std::uint8_t pin, std::uint8_t channel) {
  chip.pins[pin] = channel;
}
void ledcDetachPin(std::uint8_t pin) { chip.pins.erase(pin); }

void HardwareSerial::begin(unsigned long baud, std::uint32_t config,
                           std::int8_t rx, std::int8_t tx) {
  CHECK(config == SERIAL_8N1);
  chip.uart = std::to_string(baud) + " rx " + std::to_string(rx) + " tx " +
              std::to_string(tx);
}
void HardwareSerial::end() { chip.uart = "ended"; }
int HardwareSerial::available() {
  return static_cast<int>(chip.received.size());
}
int HardwareSerial::read() {
  const int byte = chip.received.front();
  chip.received.pop_front();
  return byte;
}
std::size_t HardwareSerial::write(const std::uint8_t *data, std::size_t size) {
  chip.written.insert(chip.written.end(), data, data + size);
  return size;
}

namespace {

struct Rig {
  lobug::StackChanBase base;
  lobug::ChipBody body{base};
  explicit Rig(bool answers = true, int starts_after = 0) {
    chip = {};
    chip.base = answers;
    chip.starts_after = starts_after;
    chip.registers[kExpander][2] = 5; // its version
    chip.registers[kExpander][5] = 0xFF;
    base.begin();
  }
};

} // namespace

TEST_CASE("the base is set up: supply off, lights off, the sensor at work") {
  Rig rig;
  CHECK(rig.body.has_base());
  CHECK((reg(kExpander, 0x05) & 1) == 0);    // no supply
  CHECK((reg(kExpander, 0x03) & 1) == 1);    // pin 0 is an output
  CHECK((reg(kExpander, 0x04) & 0x20) != 0); // and pin 13
  CHECK((reg(kExpander, 0x14) & 0x20) == 0); // push-pull
  CHECK(reg(kExpander, 0x24) == (0x40 | 12));
  for (int place = 0x30; place < 0x48; ++place)
    CHECK(reg(kExpander, place) == 0);
  CHECK(reg(kTouch, 0x08) == 0x22);
  CHECK(reg(kTouch, 0x09) == 0x07);
  for (int place = 2; place <= 6; ++place)
    CHECK(reg(kTouch, place) == 0x33);
}

TEST_CASE("an expander that starts slowly is waited for, one that is not there "
          "is not touched") {
  CHECK(Rig(true, 3).body.has_base());
  Rig none(false);
  CHECK_FALSE(none.body.has_base());
  none.body.supply(true);
  none.base.show_lights({});
  CHECK(none.body.head_touch() == 0);
  CHECK(reg(kExpander, 0x24) == 0);
  CHECK_FALSE(none.body.open(lobug::BodyKind::kStackChan));
  CHECK(chip.uart.empty());
}

TEST_CASE("StackChan's servos: 1 Mbit/s, received on G7, sent on G6") {
  Rig rig;
  REQUIRE(rig.body.open(lobug::BodyKind::kStackChan));
  CHECK(chip.uart == "1000000 rx 7 tx 6");
  rig.body.supply(true);
  CHECK((reg(kExpander, 0x05) & 1) == 1);
  const unsigned char frame[] = {1, 2, 3};
  rig.body.send(lobug::Bytes(frame));
  CHECK(chip.written == std::vector<std::uint8_t>{1, 2, 3});
  chip.received = {7, 8, 9};
  unsigned char into[2] = {};
  CHECK(rig.body.receive(lobug::MutableBytes(into)) == 2);
  CHECK(into[1] == 8);
  CHECK(rig.body.receive(lobug::MutableBytes(into)) == 1);
  CHECK(rig.body.receive(lobug::MutableBytes(into)) == 0);
  rig.body.close();
  CHECK(chip.uart == "ended");
  CHECK((reg(kExpander, 0x05) & 1) == 0);
  rig.body.send(lobug::Bytes(frame));
  CHECK(chip.written.size() == 3);
}

TEST_CASE("hobby servos: 50 pulses a second of the length that is asked for") {
  Rig rig(false);
  REQUIRE(rig.body.open(lobug::BodyKind::kPortA));
  REQUIRE(chip.pins.size() == 2);
  CHECK(chip.pins[33] != chip.pins[32]);
  CHECK(chip.duty[chip.pins[33]] == 0); // none until it moves
  rig.body.pulse(lobug::Axis::kYaw, 1500);
  rig.body.pulse(lobug::Axis::kPitch, 544);
  CHECK(chip.duty[chip.pins[33]] == 1228); // of 16384 in 20 ms
  CHECK(chip.duty[chip.pins[32]] == 445);
  rig.body.pulse(lobug::Axis::kYaw, 0);
  CHECK(chip.duty[chip.pins[33]] == 0);
  rig.body.close();
  CHECK(chip.pins.empty());
}

TEST_CASE("pins that the board does not have, or that cannot be driven") {
  Rig rig;
  CHECK_FALSE(rig.body.open(lobug::BodyKind::kPortC));
  chip.ledc_works = false;
  CHECK_FALSE(rig.body.open(lobug::BodyKind::kPortA));
  CHECK(chip.pins.empty());
}

TEST_CASE("the touch sensor: three zones; silence is no hand") {
  Rig rig;
  chip.registers[kTouch][0x10] = 0xED;
  CHECK(rig.body.head_touch() == 0x2D);
  chip.touch_answers = false;
  CHECK(rig.body.head_touch() == 0);
}
