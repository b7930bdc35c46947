// Stub: ESP-IDF 4.4.
#pragma once

#include <cstdint>

#include "esp_err.h"

enum esp_mac_type_t { ESP_MAC_WIFI_STA, ESP_MAC_WIFI_SOFTAP, ESP_MAC_BT, ESP_MAC_ETH };

enum esp_reset_reason_t {
  ESP_RST_UNKNOWN,
  ESP_RST_POWERON,
  ESP_RST_EXT,
  ESP_RST_SW,
  ESP_RST_PANIC,
  ESP_RST_INT_WDT,
  ESP_RST_TASK_WDT,
  ESP_RST_WDT,
  ESP_RST_DEEPSLEEP,
  ESP_RST_BROWNOUT,
  ESP_RST_SDIO,
};

extern "C" {
esp_reset_reason_t esp_reset_reason(void);
esp_err_t esp_read_mac(std::uint8_t* mac, esp_mac_type_t type);
[[noreturn]] void esp_restart(void);
std::uint32_t esp_random(void);
}
