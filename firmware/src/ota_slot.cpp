#include "ota_slot.h"

#include <esp_partition.h>

#include "version.h"

extern "C" bool verifyRollbackLater();
extern "C" bool verifyRollbackLater() { return true; }

namespace lobug {

std::string_view OtaSlot::running_version() const { return kFirmwareVersion; }

std::uint32_t OtaSlot::capacity() const {
  const esp_partition_t* other = esp_ota_get_next_update_partition(nullptr);
  return other != nullptr ? static_cast<std::uint32_t>(other->size) : 0;
}

bool OtaSlot::begin(std::uint32_t size) {
  abandon();
  target_ = esp_ota_get_next_update_partition(nullptr);
  if (target_ == nullptr || size == 0 || size > target_->size) return false;
  // Erases as it goes: a slot at once would keep this task from its watchdog for seconds. ESP-IDF
  // refuses while the running image is itself on trial.
  writing_ = esp_ota_begin(target_, OTA_WITH_SEQUENTIAL_WRITES, &handle_) == ESP_OK;
  return writing_;
}

bool OtaSlot::write(Bytes data) {
  return writing_ && esp_ota_write(handle_, data.data(), data.size()) == ESP_OK;
}

bool OtaSlot::activate() {
  if (!writing_) return false;
  writing_ = false;
  // `end` checks the image's own checksum too: anything but an ESP32 image is refused here.
  return esp_ota_end(handle_) == ESP_OK && esp_ota_set_boot_partition(target_) == ESP_OK;
}

void OtaSlot::abandon() {
  if (writing_) (void)esp_ota_abort(handle_);
  writing_ = false;
}

bool OtaSlot::on_trial() const {
  esp_ota_img_states_t state = ESP_OTA_IMG_UNDEFINED;
  return esp_ota_get_state_partition(esp_ota_get_running_partition(), &state) == ESP_OK &&
         state == ESP_OTA_IMG_PENDING_VERIFY;
}

void OtaSlot::confirm() { (void)esp_ota_mark_app_valid_cancel_rollback(); }

void OtaSlot::roll_back() { (void)esp_ota_mark_app_invalid_rollback_and_reboot(); }

}  // namespace lobug
