// Settings that survive a restart: NVS on the device, a file on the host.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"

namespace lobug {

/// Keys have 1 to 15 characters (a limit of NVS). Used by one thread.
class Store {
 public:
  virtual ~Store() = default;
  /// The text's length, without a NUL, or -1 when there is none or it does not fit.
  virtual int get(std::string_view key, Span<char> into) = 0;
  /// False when it could not be written; what was there before is then still there.
  virtual bool put(std::string_view key, std::string_view text) = 0;
  virtual bool erase(std::string_view key) = 0;
  /// All keys at once: back to the state of a new device.
  virtual bool erase_all() = 0;
};

}  // namespace lobug
