// When the device reports its own condition to the server, and what it says.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "lobug/audio/audio_link.h"
#include "lobug/base/clock.h"
#include "lobug/device/device.h"
#include "lobug/device/firmware_update.h"
#include "lobug/device/session.h"
#include "lobug/device/wifi_watch.h"
#include "lobug/protocol/report.h"

namespace lobug {

/// A report goes with each hello, and every quarter of an hour over the session.
class HealthReporter {
 public:
  static constexpr Millis kEveryMs = 900000;
  static constexpr Millis kAgainMs = 1000;  ///< after one that found no room

  HealthReporter(const Platform& platform, const AudioLink& audio, const View& view,
                 const WifiWatch& wifi, const FirmwareUpdate& update)
      : platform_(platform), audio_(audio), view_(view), wifi_(wifi), update_(update) {}

  /// Counts the time since the start; the report that is due is sent.
  void step(Session& session, Millis now);
  /// A picture of a character was broken, or found no room.
  void count_bad_glyph() { ++report_.bad_glyphs; }
  /// The report as it is now, JSON; valid until the next. It counts as sent.
  std::string_view write(Millis now);

 private:
  const Platform& platform_;
  const AudioLink& audio_;
  const View& view_;
  const WifiWatch& wifi_;
  const FirmwareUpdate& update_;
  std::uint64_t uptime_ms_ = 0;  // the clock itself wraps after 49.7 days
  Millis last_ = 0;
  bool begun_ = false;
  Deadline next_;
  HealthReport report_;
  std::array<char, 1024> text_{};
};

}  // namespace lobug
