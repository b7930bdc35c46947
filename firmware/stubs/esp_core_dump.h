// Stub: ESP-IDF 4.4's espcoredump for Xtensa, as Arduino core 2.0.17 configures it: to flash, ELF.
#pragma once

#include <cstdint>

#include "esp_err.h"

#define CONFIG_ESP_COREDUMP_ENABLE_TO_FLASH 1
#define CONFIG_ESP_COREDUMP_DATA_FORMAT_ELF 1

struct esp_core_dump_bt_info_t {
  std::uint32_t bt[16];
  std::uint32_t depth;
  bool corrupted;
};

struct esp_core_dump_summary_extra_info_t {
  std::uint32_t exc_cause;
  std::uint32_t exc_vaddr;
};

struct esp_core_dump_summary_t {
  char exc_task[16];
  std::uint32_t exc_pc;
  esp_core_dump_bt_info_t exc_bt_info;
  std::uint8_t app_elf_sha256[17];
  esp_core_dump_summary_extra_info_t ex_info;
};

extern "C" {
esp_err_t esp_core_dump_image_check(void);
esp_err_t esp_core_dump_get_summary(esp_core_dump_summary_t* summary);
}
