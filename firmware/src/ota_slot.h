// The two firmware slots of the flash, and the boot loader's rollback.
//
// A new image starts on trial only if the boot loader was built with
// CONFIG_BOOTLOADER_APP_ROLLBACK_ENABLE (Arduino's prebuilt one is) and if nobody confirms the
// image before it has reached the server. Arduino would: initArduino() marks the image as valid
// before setup() unless the weak function verifyRollbackLater() is replaced by one that returns
// true. It is, in ota_slot.cpp, with C linkage, without which it would be another function and
// nobody would notice.
#pragma once

#include <esp_ota_ops.h>

#include "lobug/ports/firmware_slot.h"

namespace lobug {

class OtaSlot final : public FirmwareSlot {
 public:
  std::string_view running_version() const override;
  std::uint32_t capacity() const override;
  bool begin(std::uint32_t size) override;
  bool write(Bytes data) override;
  bool activate() override;
  void abandon() override;
  bool on_trial() const override;
  void confirm() override;
  void roll_back() override;

 private:
  const esp_partition_t* target_ = nullptr;
  esp_ota_handle_t handle_ = 0;
  bool writing_ = false;
};

}  // namespace lobug
