// Where a new firmware is written to, and the choice between it and the one that runs.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"

namespace lobug {

class FirmwareSlot {
 public:
  virtual ~FirmwareSlot() = default;
  /// The version that runs, "2.0.0".
  virtual std::string_view running_version() const = 0;
  /// The largest image that fits, bytes.
  virtual std::uint32_t capacity() const = 0;
  /// Begin to write an image of `size` bytes to the other slot; false when that cannot be done.
  virtual bool begin(std::uint32_t size) = 0;
  virtual bool write(Bytes data) = 0;
  /// The whole image was written and verified: start from it next time, on trial.
  virtual bool activate() = 0;
  /// Give up what was written.
  virtual void abandon() = 0;
  /// True while the running image is on trial: a restart that was not preceded by `confirm` goes
  /// back to the old one.
  virtual bool on_trial() const = 0;
  virtual void confirm() = 0;
  /// Back to the old image; restarts the device and does not return there.
  virtual void roll_back() = 0;
};

}  // namespace lobug
