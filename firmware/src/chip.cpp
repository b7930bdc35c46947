#include "chip.h"

#include <Arduino.h>
#include <M5Unified.h>
#include <esp_heap_caps.h>
#include <esp_system.h>
#include <sys/time.h>
// Where ESP-IDF has moved them out of esp_system.h.
#if __has_include(<esp_mac.h>)
#include <esp_mac.h>
#endif
#if __has_include(<esp_random.h>)
#include <esp_random.h>
#endif

#include <cstdio>
#include <ctime>

#ifndef LOBUG_RGB_LED
#define LOBUG_RGB_LED 0
#endif

namespace lobug {
namespace {

Millis now_ms() { return millis(); }
std::int64_t unix_seconds() { return static_cast<std::int64_t>(std::time(nullptr)); }

}  // namespace

void ChipSystem::begin() {
  std::uint8_t mac[6] = {};
  (void)esp_read_mac(mac, ESP_MAC_WIFI_STA);
  char text[18];
  (void)std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
                      mac[3], mac[4], mac[5]);
  device_id_ = Text<17>(text);
  (void)std::snprintf(text, sizeof text, "Lo-Bug-%02X%02X", mac[4], mac[5]);
  short_name_ = Text<16>(text);
  switch (M5.getBoard()) {
    case m5::board_t::board_M5StackCore2:
      board_ = "m5stack-core2";
      break;
    case m5::board_t::board_M5StackCoreS3:
    case m5::board_t::board_M5StackCoreS3SE:
      board_ = "m5stack-cores3";
      break;
    default:
      break;
  }
}

std::uint32_t ChipSystem::free_memory() const {
  // Without MALLOC_CAP_8BIT what is left of instruction memory would count, which holds no data.
  return static_cast<std::uint32_t>(heap_caps_get_free_size(MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT));
}

void ChipSystem::restart() {
  Serial.flush();
  esp_restart();
}

void ChipSystem::log(std::string_view line) {
  Serial.write(reinterpret_cast<const std::uint8_t*>(line.data()), line.size());
  Serial.write('\n');
}

void ChipSystem::set_time(std::int64_t unix_ms) {
  timeval time{};
  time.tv_sec = static_cast<decltype(time.tv_sec)>(unix_ms / 1000);
  time.tv_usec = static_cast<decltype(time.tv_usec)>(unix_ms % 1000 * 1000);
  (void)settimeofday(&time, nullptr);
}

std::uint32_t ChipRandom::next() { return esp_random(); }

bool ChipEffects::has_led() const { return LOBUG_RGB_LED != 0 && M5.Led.isEnabled(); }

void ChipEffects::set_led(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  if (has_led()) M5.Led.setAllColor(red, green, blue);
}

Clocks chip_clocks() {
  Clocks clocks;
  clocks.now = now_ms;
  clocks.unix_seconds = unix_seconds;
  return clocks;
}

}  // namespace lobug
