// Stub: ESP-IDF 4.4.
#pragma once

#include <cstdint>

#include "esp_err.h"

enum esp_mac_type_t { ESP_MAC_WIFI_STA, ESP_MAC_WIFI_SOFTAP, ESP_MAC_BT, ESP_MAC_ETH };

extern "C" {
esp_err_t esp_read_mac(std::uint8_t* mac, esp_mac_type_t type);
[[noreturn]] void esp_restart(void);
std::uint32_t esp_random(void);
}
