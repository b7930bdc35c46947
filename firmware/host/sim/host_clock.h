// The simulated device's clocks.
#pragma once

#include <cstdint>

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
std::int64_t unix_seconds();
void set_unix_ms(std::int64_t unix_ms);

/// For connections: `now_ms` and `unix_seconds`.
Clocks host_clocks();

}  // namespace lobug::sim
