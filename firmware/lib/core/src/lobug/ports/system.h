// The machine around the core.
#pragma once

#include <cstdint>
#include <string_view>

namespace lobug {

class System {
 public:
  virtual ~System() = default;
  /// The device's MAC address, "aa:bb:cc:dd:ee:ff".
  virtual std::string_view device_id() const = 0;
  /// The board's name for people and for the server: "m5stack-core2", "m5stack-cores3", "host".
  virtual std::string_view board() const = 0;
  virtual std::uint32_t free_memory() const = 0;
  /// Restart; does not return on a device.
  virtual void restart() = 0;
  /// One line for the serial log. Never given a token, a password or what was said.
  virtual void log(std::string_view line) = 0;
  /// Wall-clock time, ms since 1970 (UTC): at the start that of the clock chip, if it kept going;
  /// 0: not known.
  virtual std::int64_t unix_ms() const = 0;
  /// The time has been learnt: sets the clock chip as well. 0: what the clock says is not the time.
  virtual void set_time(std::int64_t unix_ms) = 0;
};

/// Looks for a server in the local network (mDNS, `_lobug._tcp`).
class ServerFinder {
 public:
  virtual ~ServerFinder() = default;
  enum class Search : std::uint8_t { kSearching, kFound, kNone };
  virtual void start() = 0;
  /// kFound: `host` and `port` are set. Never waits.
  virtual Search poll(char* host, unsigned host_size, std::uint16_t& port) = 0;
};

/// Hardware that tools use beyond sound and screen.
class Effects {
 public:
  virtual ~Effects() = default;
  virtual bool has_led() const = 0;
  /// 0 to 255 each.
  virtual void set_led(std::uint8_t red, std::uint8_t green, std::uint8_t blue) = 0;
};

}  // namespace lobug
