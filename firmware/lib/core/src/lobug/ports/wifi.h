// The Wi-Fi as the serial line sees it: what is in range, and how joining goes.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/base/span.h"
#include "lobug/base/text.h"

namespace lobug {

struct WifiNetwork {
  Text<32> name;
  std::int8_t dbm = -127;
  bool secured = true;
};

/// Used by one thread, that of the screen.
class Wifi {
 public:
  virtual ~Wifi() = default;
  enum class Link : std::uint8_t {
    kNone,     ///< no Wi-Fi is stored
    kJoining,  ///< the stored one is being joined, or will be
    kUp,
    kRefused,  ///< it keeps refusing the password
  };
  /// Of the Wi-Fi that is stored by now.
  virtual Link link() const = 0;
  /// Settings were stored: if they name another Wi-Fi, it is joined.
  virtual void reload_if_changed() = 0;
  /// Begins to look for networks; false: it cannot now. Never waits.
  virtual bool look(Millis now) = 0;
  virtual bool is_looking() const = 0;
  /// What was found when it last looked.
  virtual Span<const WifiNetwork> networks() const = 0;
};

}  // namespace lobug
