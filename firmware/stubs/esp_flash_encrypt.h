// Stub: ESP-IDF 4.4.
#pragma once

extern "C" bool esp_flash_encryption_enabled();
