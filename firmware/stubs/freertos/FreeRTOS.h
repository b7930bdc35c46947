// Stub: FreeRTOS of ESP-IDF 4.4.
#pragma once

#include <cstdint>

using BaseType_t = int;
using UBaseType_t = unsigned int;
using TickType_t = std::uint32_t;
#define pdPASS 1
#define pdMS_TO_TICKS(ms) (static_cast<TickType_t>(ms))
#define portMAX_DELAY 0xffffffffU
