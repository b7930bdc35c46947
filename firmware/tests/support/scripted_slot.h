// Two places for a firmware and a boot loader between them, as on the chip, for tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/base/span.h"
#include "lobug/ports/firmware_slot.h"

namespace lobug {

/// Behaves as the ESP32's boot loader with rollback: an activated image starts on trial; a start
/// that finds it still on trial goes back to the other one for good.
class ScriptedSlot final : public FirmwareSlot {
 public:
  /// Faults to come.
  bool begin_fails = false;
  bool activate_fails = false;
  /// The write that reaches this many bytes fails.
  std::size_t write_fails_at = static_cast<std::size_t>(-1);
  /// The version that the image being written will have once it runs.
  std::string next_version = "2.1.0";

  /// What was called.
  int begun = 0;
  int activated = 0;
  int abandoned = 0;
  int confirmed = 0;
  int rolled_back = 0;
  /// Starts of the device, the first included; `roll_back` starts it too.
  int starts = 1;

  explicit ScriptedSlot(std::string_view version = "2.0.0", std::uint32_t capacity = 1U << 20U)
      : capacity_(capacity) {
    images_[0].version = std::string(version);
    images_[0].state = State::kValid;
  }

  /// Power off and on, or a restart: what the boot loader then does.
  void power_cycle() {
    ++starts;
    writing_ = false;
    Image& current = images_[boot_];
    if (current.state == State::kTrial) {
      current.state = State::kFailed;
      boot_ = 1 - boot_;
    } else if (current.state == State::kNew) {
      current.state = State::kTrial;
    }
    running_ = boot_;
  }
  /// The bytes of the image in the slot that does not run.
  const std::vector<unsigned char>& written() const { return images_[1 - running_].data; }
  bool is_writing() const { return writing_; }

  std::string_view running_version() const override { return images_[running_].version; }
  std::uint32_t capacity() const override { return capacity_; }
  bool begin(std::uint32_t size) override {
    ++begun;
    if (begin_fails || size > capacity_ || on_trial() || boot_ != running_) return false;
    images_[1 - running_] = Image{};
    writing_ = true;
    return true;
  }
  bool write(Bytes data) override {
    if (!writing_) return false;
    std::vector<unsigned char>& image = images_[1 - running_].data;
    if (image.size() + data.size() >= write_fails_at) return false;
    image.insert(image.end(), data.begin(), data.end());
    return true;
  }
  bool activate() override {
    ++activated;
    if (activate_fails || !writing_) return false;
    writing_ = false;
    boot_ = 1 - running_;
    images_[boot_].version = next_version;
    images_[boot_].state = State::kNew;
    return true;
  }
  void abandon() override {
    ++abandoned;
    writing_ = false;
  }
  bool on_trial() const override { return images_[running_].state == State::kTrial; }
  void confirm() override {
    ++confirmed;
    if (on_trial()) images_[running_].state = State::kValid;
  }
  void roll_back() override {
    ++rolled_back;
    images_[running_].state = State::kFailed;
    boot_ = 1 - running_;
    power_cycle();
  }

 private:
  enum class State { kEmpty, kNew, kTrial, kValid, kFailed };
  struct Image {
    std::string version;
    std::vector<unsigned char> data;
    State state = State::kEmpty;
  };
  std::array<Image, 2> images_;
  std::uint32_t capacity_;
  std::size_t running_ = 0;
  std::size_t boot_ = 0;
  bool writing_ = false;
};

}  // namespace lobug
