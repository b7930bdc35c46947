// The device's two firmware slots as files, with the boot loader that chooses between them.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "lobug/ports/firmware_slot.h"

namespace lobug::sim {

/// `a.bin` and `b.bin` are the slots, `boot.txt` is what the boot loader knows. An image is a file
/// that begins as ESP32 images do (0xE9) and has, within its first 4 KB, a line
/// `lobug-version=2.1.0`; a line `lobug-fault=no-server` makes a build that never finds its server.
///
/// The rules are those of ESP-IDF's roll-back: a new image starts on trial, and a restart before
/// `confirm` goes back to the old one.
class FirmwareFolder final : public FirmwareSlot {
 public:
  /// Starts the device, as a boot loader. `factory_version` is made when there is no image yet.
  /// `restart` is called by `roll_back`, after the choice was written down.
  FirmwareFolder(std::filesystem::path folder, const std::string& factory_version,
                 std::uint32_t capacity, std::function<void()> restart);
  ~FirmwareFolder() override { abandon(); }
  FirmwareFolder(const FirmwareFolder&) = delete;
  FirmwareFolder& operator=(const FirmwareFolder&) = delete;

  std::string_view running_version() const override { return version_; }
  std::uint32_t capacity() const override { return capacity_; }
  bool begin(std::uint32_t size) override;
  bool write(Bytes data) override;
  bool activate() override;
  void abandon() override;
  bool on_trial() const override { return on_trial_; }
  void confirm() override;
  void roll_back() override;

  /// "a" or "b".
  char running_slot() const { return running_; }
  /// This start went back from an image that had not been confirmed.
  bool rolled_back() const { return rolled_back_; }
  /// The running build never finds its server.
  bool finds_no_server() const { return finds_no_server_; }

 private:
  std::filesystem::path image(char slot) const;
  void boot(const std::string& factory_version);
  bool note(char active, std::string_view trial);

  const std::filesystem::path folder_;
  const std::uint32_t capacity_;
  const std::function<void()> restart_;
  char running_ = 'a';
  std::string version_;
  bool on_trial_ = false;
  bool rolled_back_ = false;
  bool finds_no_server_ = false;
  std::FILE* writing_ = nullptr;
  std::uint32_t announced_ = 0;
  std::uint32_t written_ = 0;
};

}  // namespace lobug::sim
