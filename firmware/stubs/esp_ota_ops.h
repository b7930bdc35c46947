// Stub: ESP-IDF 4.4.
#pragma once

#include <cstddef>
#include <cstdint>

#include "esp_err.h"
#include "esp_partition.h"

using esp_ota_handle_t = std::uint32_t;
#define OTA_WITH_SEQUENTIAL_WRITES 0xfffffffe

enum esp_ota_img_states_t : std::uint32_t {
  ESP_OTA_IMG_NEW = 0,
  ESP_OTA_IMG_PENDING_VERIFY = 1,
  ESP_OTA_IMG_VALID = 2,
  ESP_OTA_IMG_INVALID = 3,
  ESP_OTA_IMG_ABORTED = 4,
  ESP_OTA_IMG_UNDEFINED = 0xFFFFFFFF,
};

extern "C" {
const esp_partition_t* esp_ota_get_next_update_partition(const esp_partition_t* start_from);
const esp_partition_t* esp_ota_get_running_partition(void);
esp_err_t esp_ota_begin(const esp_partition_t* partition, std::size_t image_size,
                        esp_ota_handle_t* out_handle);
esp_err_t esp_ota_write(esp_ota_handle_t handle, const void* data, std::size_t size);
esp_err_t esp_ota_end(esp_ota_handle_t handle);
esp_err_t esp_ota_abort(esp_ota_handle_t handle);
esp_err_t esp_ota_set_boot_partition(const esp_partition_t* partition);
esp_err_t esp_ota_get_state_partition(const esp_partition_t* partition,
                                      esp_ota_img_states_t* ota_state);
esp_err_t esp_ota_mark_app_valid_cancel_rollback(void);
esp_err_t esp_ota_mark_app_invalid_rollback_and_reboot(void);
}
