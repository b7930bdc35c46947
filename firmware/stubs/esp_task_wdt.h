// Stub: ESP-IDF 4.4; version 5 takes a structure.
#pragma once

#include <cstdint>

#include "esp_err.h"
#include "freertos/task.h"

extern "C" {
esp_err_t esp_task_wdt_init(std::uint32_t timeout, bool panic);
esp_err_t esp_task_wdt_add(TaskHandle_t handle);
esp_err_t esp_task_wdt_reset(void);
}
