// Stub: ESP-IDF 4.4.
#pragma once

#include <cstdint>

#define ESP_IPADDR_TYPE_V4 0U

struct esp_ip4_addr_t {
  std::uint32_t addr;
};
struct esp_ip_addr_t {
  union {
    esp_ip4_addr_t ip4;
  } u_addr;
  std::uint8_t type;
};

#define IPSTR "%d.%d.%d.%d"
#define IP2STR(address)                                                                       \
  static_cast<int>((address)->addr & 0xFFU), static_cast<int>((address)->addr >> 8U & 0xFFU), \
      static_cast<int>((address)->addr >> 16U & 0xFFU), static_cast<int>((address)->addr >> 24U)
