// Stub: ESP-IDF 4.4.
#pragma once

#include <cstdint>

struct esp_partition_t {
  std::uint32_t address;
  std::uint32_t size;
};
