// The simulated device's clocks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>

#include "lobug/base/clock.h"
#include "lobug_sockets/clocks.h"

namespace lobug::sim {

/// Microseconds since the program was started; never goes back.
std::int64_t now_us();
/// The device's milliseconds: those of `now_us`, later by what `start_clock_at` said.
Millis now_ms();
/// Lets the device's milliseconds pass so many times as fast as ours; sound keeps its own pace.
/// Before threads.
void hurry_clock(std::uint32_t times);
/// Lets the device's clock begin at `first`, for example shortly before its wrap. Before threads.
void start_clock_at(Millis first);

/// What the device has been told of the time (System::set_time), going on from there; 0 before.
std::int64_t unix_ms();
std::int64_t unix_seconds();
/// 0: not known any more.
void set_unix_ms(std::int64_t unix_ms);

/// The clock chip: goes on while the device is off, as long as its battery lasts. Its file has the
/// milliseconds by which it is ahead of this computer's clock, and whether its supply failed.
class ClockChip {
 public:
  explicit ClockChip(std::filesystem::path file) : file_(std::move(file)) {}
  /// Milliseconds since 1970; 0: it was never set, or its supply failed since.
  std::int64_t read();
  void set(std::int64_t unix_ms);
  /// It is wrong by so much more from now on.
  void shift(std::int64_t seconds);
  /// Its supply fails.
  void fail();

 private:
  struct Kept {
    std::int64_t ahead_ms = 0;
    bool good = false;
  };
  Kept load();
  void save(const Kept& kept);

  const std::filesystem::path file_;
  std::mutex lock_;
};

/// For connections: `now_ms` and `unix_seconds`.
Clocks host_clocks();

}  // namespace lobug::sim
