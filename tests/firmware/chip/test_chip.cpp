// The real src/chip.cpp on a chip of memory: its board's names, what it sends
// to the lights, its clock and its battery.
#include <Arduino.h>
#include <M5Unified.h>
#include <doctest/doctest.h>
#include <driver/rmt.h>
#include <esp_heap_caps.h>
#include <esp_system.h>
#include <sys/time.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "chip.h"

namespace {

/// What the fakes below answer, and what was asked of them.
struct Chip {
  int board = m5gfx::board_M5StackCore2;
  bool driver_starts = true;
  bool busy = false;
  std::vector<rmt_config_t> configured;
  std::vector<std::vector<rmt_item32_t>> sent;

  timeval time{}; // the system's; never the computer's own
  bool has_clock = true;
  bool clock_failed = false;
  m5::rtc_datetime_t clock;

  m5::Power_Class::pmic_t power_chip = m5::Power_Class::pmic_axp2101;
  bool has_battery = true;
  bool usb = false;
  bool charging = false;
  int level = 80;
  int millivolts = 3900;

  bool base = false; // StackChan's answers
  int asked = 0;
  int waited_ms = 0;
  std::vector<std::uint8_t> base_lights;
} chip;

/// Lights as they are wired: the bits of green, red and blue, the highest
/// first, by how long the line is high. Fails where a pulse is none that an
/// SK6812 takes (0.15 us off at most).
std::vector<lobug::LedColor>
seen_by_lights(const std::vector<rmt_item32_t> &items) {
  constexpr int kTickNs = 25;
  std::vector<unsigned> bytes;
  for (std::size_t place = 0; place < items.size(); ++place) {
    const rmt_item32_t item = items[place];
    CHECK(item.level0 == 1);
    CHECK(item.level1 == 0);
    const int high = static_cast<int>(item.duration0) * kTickNs;
    const int low = static_cast<int>(item.duration1) * kTickNs;
    const bool one = high > 450;
    CHECK(std::abs(high - (one ? 600 : 300)) <= 150);
    CHECK(std::abs(low - (one ? 600 : 900)) <= 150);
    if (place % 8 == 0)
      bytes.push_back(0);
    bytes.back() = bytes.back() * 2 + (one ? 1 : 0);
  }
  std::vector<lobug::LedColor> colors;
  for (std::size_t at = 0; at + 2 < bytes.size(); at += 3) {
    colors.push_back({static_cast<std::uint8_t>(bytes[at + 1]),
                      static_cast<std::uint8_t>(bytes[at]),
                      static_cast<std::uint8_t>(bytes[at + 2])});
  }
  return colors;
}

std::string name_of(int board) {
  chip.board = board;
  lobug::ChipSystem system;
  system.begin();
  return std::string(system.board());
}

} // namespace

m5::M5Unified M5;
HardwareSerial Serial;

m5::board_t m5::M5Unified::getBoard() const {
  return static_cast<board_t>(chip.board);
}
void m5::M5Unified::update() {}

m5::rtc_time_t::rtc_time_t(std::int8_t hours_, std::int8_t minutes_,
                           std::int8_t seconds_)
    : hours(hours_), minutes(minutes_), seconds(seconds_) {}
m5::rtc_date_t::rtc_date_t(std::int16_t year_, std::int8_t month_,
                           std::int8_t date_, std::int8_t day)
    : year(year_), month(month_), date(date_), weekDay(day) {}
bool m5::RTC_Class::isEnabled() const { return chip.has_clock; }
bool m5::RTC_Class::getVoltLow() { return chip.clock_failed; }
bool m5::RTC_Class::getDateTime(rtc_datetime_t *datetime) const {
  *datetime = chip.clock;
  return true;
}
void m5::RTC_Class::setDateTime(const rtc_date_t *date,
                                const rtc_time_t *time) {
  chip.clock = {*date, *time};
  chip.clock_failed = false;
}

m5::Power_Class::pmic_t m5::Power_Class::getType() const {
  return chip.power_chip;
}
std::int32_t m5::Power_Class::getBatteryLevel() { return chip.level; }
std::int16_t m5::Power_Class::getBatteryVoltage() {
  return static_cast<std::int16_t>(chip.millivolts);
}
m5::Power_Class::is_charging_t m5::Power_Class::isCharging() {
  return chip.charging ? is_charging : is_discharging;
}
bool m5::AXP2101_Class::isVBUS() { return chip.usb; }
bool m5::AXP2101_Class::getBatState() { return chip.has_battery; }
bool m5::AXP192_Class::isACIN() { return chip.usb; }
bool m5::AXP192_Class::getBatState() { return chip.has_battery; }
std::size_t HardwareSerial::write(std::uint8_t) { return 1; }
std::size_t HardwareSerial::write(const std::uint8_t *, std::size_t size) {
  return size;
}
void HardwareSerial::flush() {}
unsigned long millis() { return 0; }
void delay(std::uint32_t ms) { chip.waited_ms += static_cast<int>(ms); }

m5::I2C_Class m5::In_I2C;
bool m5::I2C_Class::readRegister(std::uint8_t address, std::uint8_t,
                                 std::uint8_t *result, std::size_t,
                                 std::uint32_t) const {
  ++chip.asked;
  *result = 3;
  return chip.base && address == 0x6F;
}
bool m5::I2C_Class::writeRegister(std::uint8_t, std::uint8_t reg,
                                  const std::uint8_t *data, std::size_t length,
                                  std::uint32_t) const {
  if (reg == 0x30)
    chip.base_lights.assign(data, data + length);
  return true;
}
bool m5::I2C_Class::writeRegister8(std::uint8_t, std::uint8_t, std::uint8_t,
                                   std::uint32_t) const {
  return true;
}
bool m5::I2C_Class::bitOn(std::uint8_t, std::uint8_t, std::uint8_t,
                          std::uint32_t) const {
  return true;
}
bool m5::I2C_Class::bitOff(std::uint8_t, std::uint8_t, std::uint8_t,
                           std::uint32_t) const {
  return true;
}

extern "C" {
int settimeofday(const timeval *time, const struct timezone *) noexcept {
  chip.time = *time;
  return 0;
}
int gettimeofday(timeval *time, void *) noexcept {
  *time = chip.time;
  return 0;
}

esp_err_t esp_read_mac(std::uint8_t *mac, esp_mac_type_t) {
  for (int place = 0; place < 6; ++place)
    mac[place] = static_cast<std::uint8_t>(0xA0 + place);
  return ESP_OK;
}
void esp_restart() { std::abort(); }
std::uint32_t esp_random() { return 4; }
std::size_t heap_caps_get_free_size(std::uint32_t) { return 0; }

esp_err_t rmt_config(const rmt_config_t *config) {
  chip.configured.push_back(*config);
  return ESP_OK;
}
esp_err_t rmt_driver_install(rmt_channel_t, std::size_t, int) {
  return chip.driver_starts ? ESP_OK : 1;
}
esp_err_t rmt_wait_tx_done(rmt_channel_t, TickType_t wait) {
  CHECK(wait == 0);
  return chip.busy ? 1 : ESP_OK;
}
esp_err_t rmt_write_items(rmt_channel_t, const rmt_item32_t *items, int count,
                          bool wait) {
  CHECK_FALSE(wait);
  chip.sent.emplace_back(items, items + count);
  return ESP_OK;
}
}

TEST_CASE("a board is known by the name under which its updates are filed") {
  CHECK(name_of(m5gfx::board_M5StackCore2) == "m5stack-core2");
  CHECK(name_of(m5gfx::board_M5StackCoreS3) == "m5stack-cores3");
  CHECK(name_of(m5gfx::board_M5StackCoreS3SE) == "m5stack-cores3");
  CHECK(name_of(27) ==
        "m5stack-cores3"); // StackChan, as newer versions of M5GFX number it
  CHECK(name_of(m5gfx::board_unknown) == "m5stack");
}

TEST_CASE("the device's names come from its MAC address") {
  lobug::ChipSystem system;
  system.begin();
  CHECK(system.device_id() == "a0:a1:a2:a3:a4:a5");
  CHECK(system.short_name() == "Lo-Bug-A4A5");
}

TEST_CASE("colours reach ten lights in their order, in pulses that they take") {
  chip = {};
  const lobug::StackChanBase base;
  lobug::ChipEffects effects(base);
  effects.begin();
  CHECK(effects.has_led());
  CHECK(chip.configured
            .empty()); // the pin is left alone until there is something to show
  lobug::LedColors colors;
  for (std::size_t place = 0; place < colors.size(); ++place) {
    const auto value = static_cast<std::uint8_t>(place);
    colors[place] = {static_cast<std::uint8_t>(value * 20),
                     static_cast<std::uint8_t>(255 - value),
                     static_cast<std::uint8_t>(0x80 >> (value % 8))};
  }
  effects.show_leds(colors);
  REQUIRE(chip.configured.size() == 1);
  CHECK(int{chip.configured[0].gpio_num} == 25);
  CHECK(int{chip.configured[0].clk_div} == 2); // of 80 MHz: 25 ns
  REQUIRE(chip.sent.size() == 1);
  const std::vector<lobug::LedColor> seen = seen_by_lights(chip.sent[0]);
  REQUIRE(seen.size() == colors.size());
  for (std::size_t place = 0; place < seen.size(); ++place)
    CHECK(seen[place] == colors[place]);

  effects.show_leds({});
  CHECK(chip.configured.size() == 1);
  CHECK(seen_by_lights(chip.sent.back())[9] == lobug::LedColor{});
}

TEST_CASE(
    "the CoreS3's lights hang on another pin, an unknown board's on none") {
  chip = {};
  chip.board = m5gfx::board_M5StackCoreS3;
  const lobug::StackChanBase base;
  lobug::ChipEffects effects(base);
  effects.begin();
  effects.show_leds({});
  REQUIRE(chip.configured.size() == 1);
  CHECK(int{chip.configured[0].gpio_num} == 5);

  chip = {};
  chip.board = m5gfx::board_unknown;
  lobug::ChipEffects none(base);
  none.begin();
  CHECK_FALSE(none.has_led());
  none.show_leds({});
  CHECK(chip.configured.empty());
  CHECK(chip.sent.empty());
}

TEST_CASE("the lights of StackChan's base take the place of an M5GO bottom's") {
  chip = {};
  chip.board = m5gfx::board_M5StackCoreS3;
  chip.base = true;
  lobug::StackChanBase base;
  base.begin();
  lobug::ChipEffects effects(base);
  effects.begin();
  CHECK(effects.finds_led());
  CHECK(effects.has_led());
  lobug::LedColors colors{};
  colors[0] = {255, 0, 0};
  colors[9] = {0, 0, 255};
  effects.show_leds(colors);
  CHECK(chip.sent.empty());
  REQUIRE(chip.base_lights.size() == 24); // twelve, RGB565, low byte first
  CHECK(chip.base_lights[0] == 0x00);
  CHECK(chip.base_lights[1] == 0xF8);
  CHECK(chip.base_lights[22] == 0x1F);
  CHECK(chip.base_lights[23] == 0x00);
}

TEST_CASE("a base is looked for where one may be, and not for long") {
  for (const int board :
       {int{m5gfx::board_M5StackCoreS3}, int{m5gfx::board_M5StackCore2}}) {
    chip = {};
    chip.board = board;
    lobug::StackChanBase base;
    base.begin();
    CHECK_FALSE(base.found());
    CHECK(chip.asked == (board == m5gfx::board_M5StackCoreS3 ? 6 : 0));
    CHECK(chip.waited_ms <= 500);
  }
}

TEST_CASE("hobby servos hang where Stack-chan's builders have them") {
  using lobug::BodyKind;
  using lobug::servo_pins;
  chip = {};
  CHECK(int{servo_pins(BodyKind::kPortA).yaw} == 33);
  CHECK(int{servo_pins(BodyKind::kPortA).pitch} == 32);
  CHECK(int{servo_pins(BodyKind::kPortC).yaw} == 13);
  CHECK(int{servo_pins(BodyKind::kM5Bus).pitch} == 27);
  chip.board = m5gfx::board_M5StackCoreS3;
  CHECK(int{servo_pins(BodyKind::kPortA).yaw} == 1);
  CHECK(int{servo_pins(BodyKind::kPortC).pitch} == 18);
  CHECK(int{servo_pins(BodyKind::kM5Bus).yaw} == 7);
  CHECK_FALSE(servo_pins(BodyKind::kStackChan).exist());
  CHECK_FALSE(servo_pins(BodyKind::kNone).exist());
  chip.board = m5gfx::board_unknown;
  CHECK_FALSE(servo_pins(BodyKind::kPortA).exist());
}

TEST_CASE("a driver that does not start is tried again; one at work is not "
          "waited for") {
  chip = {};
  chip.driver_starts = false;
  const lobug::StackChanBase base;
  lobug::ChipEffects effects(base);
  effects.begin();
  effects.show_leds({});
  CHECK(chip.sent.empty());
  chip.driver_starts = true;
  chip.busy = true;
  effects.show_leds({});
  CHECK(chip.sent.empty());
  chip.busy = false;
  effects.show_leds({});
  CHECK(chip.sent.size() == 1);
}

TEST_CASE("the clock chip is read at the start, unless its supply failed or it "
          "says nonsense") {
  chip = {};
  chip.time.tv_sec = 1800000000; // M5.begin took whatever was there
  chip.clock = {{2026, 11, 26, 4}, {3, 14, 48}};
  std::int64_t expected = 1795662888000;
  SUBCASE("good") {}
  SUBCASE("its supply failed") {
    chip.clock_failed = true;
    expected = 0;
  }
  SUBCASE("there is none") {
    chip.has_clock = false;
    expected = 0;
  }
  SUBCASE("a date that does not exist") {
    chip.clock.date.date = 31;
    expected = 0;
  }
  SUBCASE("where a chip begins") {
    chip.clock = {{2000, 1, 1, 6}, {0, 0, 0}};
    expected = 0;
  }
  SUBCASE("it did not answer") {
    chip.clock = {};
    expected = 0;
  }
  lobug::ChipSystem system;
  system.begin();
  CHECK(system.unix_ms() == expected);
}

TEST_CASE("a time that is learnt goes to the clock chip, in UTC and with its "
          "weekday") {
  chip = {};
  chip.clock_failed = true;
  lobug::ChipSystem system;
  system.begin();
  REQUIRE(system.unix_ms() == 0);
  system.set_time(1795662888123);
  CHECK(system.unix_ms() == 1795662888123);
  CHECK(chip.clock.date.year == 2026);
  CHECK(chip.clock.date.month == 11);
  CHECK(chip.clock.date.date == 26);
  CHECK(chip.clock.date.weekDay == 4);
  CHECK(chip.clock.time.hours == 3);
  CHECK(chip.clock.time.minutes == 14);
  CHECK(chip.clock.time.seconds == 48);
  system.set_time(0); // the system does not know it any more; the chip goes on
  CHECK(system.unix_ms() == 0);
  CHECK(chip.clock.date.year == 2026);
}

TEST_CASE("the battery and the supply, by either power chip; what is not known "
          "is not 0") {
  using lobug::read_power_chip;
  for (const auto type :
       {m5::Power_Class::pmic_axp2101, m5::Power_Class::pmic_axp192}) {
    chip = {};
    chip.power_chip = type;
    CHECK(read_power_chip().known);
    CHECK(read_power_chip().percent == 80);
    CHECK_FALSE(read_power_chip().powered);
    CHECK_FALSE(read_power_chip().charging);
    chip.usb = true;
    CHECK(read_power_chip().powered);
    chip.charging = true;
    CHECK(read_power_chip().charging);
    chip.level = 3;
    chip.millivolts = 3400;
    CHECK(read_power_chip().known);
    chip.millivolts = 4000; // a gauge that has not measured yet
    CHECK_FALSE(read_power_chip().known);
    CHECK(read_power_chip().percent == 0);
    chip.level = 80;
    chip.has_battery = false;
    CHECK_FALSE(read_power_chip().known);
    CHECK(read_power_chip().powered);
  }
  chip = {};
  chip.power_chip = m5::Power_Class::pmic_unknown;
  chip.level = -2;
  CHECK_FALSE(read_power_chip().known);
}
