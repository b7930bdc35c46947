// Stub: ESP-IDF 4.4.
#pragma once

#define ESP_IDF_VERSION_MAJOR 4
