// The machine around the core.
#pragma once

#include <array>
#include <cstddef>
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

/// The colour of one light, 0 to 255 each.
struct LedColor {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};
constexpr bool operator==(const LedColor& left, const LedColor& right) {
  return left.red == right.red && left.green == right.green && left.blue == right.blue;
}
constexpr bool operator!=(const LedColor& left, const LedColor& right) { return !(left == right); }

/// As many as an M5GO bottom has, five on each side. Where there are others, they share these.
constexpr std::size_t kLedCount = 10;
using LedColors = std::array<LedColor, kLedCount>;

/// Hardware beyond sound and screen.
class Effects {
 public:
  virtual ~Effects() = default;
  /// Whether the board can drive lights; whether an M5GO bottom is attached it cannot know.
  virtual bool has_led() const = 0;
  /// Whether the board has found lights by itself: those of StackChan's base.
  virtual bool finds_led() const = 0;
  /// Shows these colours until others are given. Never waits.
  virtual void show_leds(const LedColors& colors) = 0;
};

}  // namespace lobug
