// Stub: ESP-IDF 4.4.
#pragma once

#include <cstdint>

struct esp_partition_t {
  std::uint32_t address;
  std::uint32_t size;
};

enum esp_partition_type_t { ESP_PARTITION_TYPE_APP = 0, ESP_PARTITION_TYPE_DATA = 1 };
enum esp_partition_subtype_t { ESP_PARTITION_SUBTYPE_DATA_NVS_KEYS = 4 };

extern "C" const esp_partition_t* esp_partition_find_first(esp_partition_type_t type,
                                                           esp_partition_subtype_t subtype,
                                                           const char* label);
