#include "host_clock.h"

#include <atomic>
#include <chrono>

namespace lobug::sim {
namespace {

using Steady = std::chrono::steady_clock;

const Steady::time_point kStart = Steady::now();
std::atomic<Millis> first_ms{0};
std::atomic<std::uint32_t> hurry{1};
std::atomic<std::int64_t> unix_ms_at_start{0};

}  // namespace

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(Steady::now() - kStart).count();
}

Millis now_ms() { return first_ms.load() + static_cast<Millis>(now_us() * hurry.load() / 1000); }

void hurry_clock(std::uint32_t times) { hurry = times; }

void start_clock_at(Millis first) { first_ms = first; }

std::int64_t unix_seconds() {
  const std::int64_t start = unix_ms_at_start.load();
  return start == 0 ? 0 : (start + now_us() / 1000) / 1000;
}

void set_unix_ms(std::int64_t unix_ms) { unix_ms_at_start = unix_ms - now_us() / 1000; }

Clocks host_clocks() { return {now_ms, unix_seconds}; }

}  // namespace lobug::sim
