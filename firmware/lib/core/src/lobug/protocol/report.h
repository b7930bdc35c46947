// The device's report of its own condition, for the server (docs/protocol.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/ports/vitals.h"

namespace lobug {

/// As the report names it.
std::string_view name_of(ResetReason reason);

/// Losses of the Wi-Fi by the driver's reason number. The first reasons have places of their own,
/// all others share one, so that no driver can fill the memory.
class LossCounts {
 public:
  static constexpr std::size_t kReasons = 8;

  void count(std::uint8_t reason);

  struct Loss {
    std::uint8_t reason = 0;  ///< 0: all that had no place
    std::uint32_t times = 0;
  };
  /// Those that were counted.
  Span<const Loss> losses() const { return {losses_.data(), count_}; }

 private:
  Loss* find(std::uint8_t reason);

  std::array<Loss, kReasons + 1> losses_{};
  std::size_t count_ = 0;
};

/// All counts since the start.
struct HealthReport {
  std::uint64_t uptime_s = 0;
  ResetReason reset = ResetReason::kUnknown;
  const CrashSummary* crash = nullptr;  ///< nullptr: no core dump is stored
  std::uint32_t gaps = 0;               ///< times that a reply ran dry in its middle
  std::uint32_t late_ms = 0;            ///< how long those gaps were together
  std::uint32_t dropped_ms = 0;         ///< sound of replies that found no room
  std::uint32_t unsent_ms = 0;          ///< sound of the microphone that was lost
  std::optional<std::int8_t> rssi;      ///< dBm; none without a Wi-Fi
  std::uint32_t reconnects = 0;         ///< times that the Wi-Fi came back
  LossCounts losses;
  std::uint32_t bad_glyphs = 0;  ///< pushed pictures that were broken or found no room
  MemoryMarks memory;
  StackMarks stacks;
  bool store_encrypted = false;
  std::string_view update_refused;  ///< why an update is not trusted; empty: none was refused
};

/// The report as a JSON object. Returns its length, 0 when it does not fit; 1,024 bytes hold any.
std::size_t write_report(Span<char> into, const HealthReport& report);

}  // namespace lobug
