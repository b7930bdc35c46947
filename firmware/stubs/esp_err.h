// Stub: ESP-IDF 4.4.
#pragma once

using esp_err_t = int;
#define ESP_OK 0
