// The real src/chip.cpp on a chip of memory: its board's names, and what it sends to the lights.
#include <Arduino.h>
#include <M5Unified.h>
#include <doctest/doctest.h>
#include <driver/rmt.h>
#include <esp_heap_caps.h>
#include <esp_system.h>

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
} chip;

/// Lights as they are wired: the bits of green, red and blue, the highest first, by how long the
/// line is high. Fails where a pulse is none that an SK6812 takes (0.15 us off at most).
std::vector<lobug::LedColor> seen_by_lights(const std::vector<rmt_item32_t>& items) {
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
    if (place % 8 == 0) bytes.push_back(0);
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

}  // namespace

m5::M5Unified M5;
HardwareSerial Serial;

m5::board_t m5::M5Unified::getBoard() const { return static_cast<board_t>(chip.board); }
void m5::M5Unified::update() {}
std::size_t HardwareSerial::write(std::uint8_t) { return 1; }
std::size_t HardwareSerial::write(const std::uint8_t*, std::size_t size) { return size; }
void HardwareSerial::flush() {}
unsigned long millis() { return 0; }

extern "C" {
esp_err_t esp_read_mac(std::uint8_t* mac, esp_mac_type_t) {
  for (int place = 0; place < 6; ++place) mac[place] = static_cast<std::uint8_t>(0xA0 + place);
  return ESP_OK;
}
void esp_restart() { std::abort(); }
std::uint32_t esp_random() { return 4; }
std::size_t heap_caps_get_free_size(std::uint32_t) { return 0; }

esp_err_t rmt_config(const rmt_config_t* config) {
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
esp_err_t rmt_write_items(rmt_channel_t, const rmt_item32_t* items, int count, bool wait) {
  CHECK_FALSE(wait);
  chip.sent.emplace_back(items, items + count);
  return ESP_OK;
}
}

TEST_CASE("a board is known by the name under which its updates are filed") {
  CHECK(name_of(m5gfx::board_M5StackCore2) == "m5stack-core2");
  CHECK(name_of(m5gfx::board_M5StackCoreS3) == "m5stack-cores3");
  CHECK(name_of(m5gfx::board_M5StackCoreS3SE) == "m5stack-cores3");
  CHECK(name_of(27) == "m5stack-cores3");  // StackChan, as newer versions of M5GFX number it
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
  lobug::ChipEffects effects;
  effects.begin();
  CHECK(effects.has_led());
  CHECK(chip.configured.empty());  // the pin is left alone until there is something to show
  lobug::LedColors colors;
  for (std::size_t place = 0; place < colors.size(); ++place) {
    const auto value = static_cast<std::uint8_t>(place);
    colors[place] = {static_cast<std::uint8_t>(value * 20), static_cast<std::uint8_t>(255 - value),
                     static_cast<std::uint8_t>(0x80 >> (value % 8))};
  }
  effects.show_leds(colors);
  REQUIRE(chip.configured.size() == 1);
  CHECK(int{chip.configured[0].gpio_num} == 25);
  CHECK(int{chip.configured[0].clk_div} == 2);  // of 80 MHz: 25 ns
  REQUIRE(chip.sent.size() == 1);
  const std::vector<lobug::LedColor> seen = seen_by_lights(chip.sent[0]);
  REQUIRE(seen.size() == colors.size());
  for (std::size_t place = 0; place < seen.size(); ++place) CHECK(seen[place] == colors[place]);

  effects.show_leds({});
  CHECK(chip.configured.size() == 1);
  CHECK(seen_by_lights(chip.sent.back())[9] == lobug::LedColor{});
}

TEST_CASE("the CoreS3's lights hang on another pin, an unknown board's on none") {
  chip = {};
  chip.board = m5gfx::board_M5StackCoreS3;
  lobug::ChipEffects effects;
  effects.begin();
  effects.show_leds({});
  REQUIRE(chip.configured.size() == 1);
  CHECK(int{chip.configured[0].gpio_num} == 5);

  chip = {};
  chip.board = m5gfx::board_unknown;
  lobug::ChipEffects none;
  none.begin();
  CHECK_FALSE(none.has_led());
  none.show_leds({});
  CHECK(chip.configured.empty());
  CHECK(chip.sent.empty());
}

TEST_CASE("a driver that does not start is tried again; one at work is not waited for") {
  chip = {};
  chip.driver_starts = false;
  lobug::ChipEffects effects;
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
