#include "host_clock.h"

#include <atomic>
#include <chrono>
#include <fstream>

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

std::int64_t unix_ms() {
  const std::int64_t start = unix_ms_at_start.load();
  return start == 0 ? 0 : start + now_us() / 1000;
}

std::int64_t unix_seconds() { return unix_ms() / 1000; }

void set_unix_ms(std::int64_t unix_ms) {
  unix_ms_at_start = unix_ms == 0 ? 0 : unix_ms - now_us() / 1000;
}

namespace {

std::int64_t computer_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

ClockChip::Kept ClockChip::load() {
  Kept kept;
  std::string word;
  std::ifstream in(file_);
  in >> kept.ahead_ms >> word;
  kept.good = in && word == "good";
  return kept;
}

void ClockChip::save(const Kept& kept) {
  std::ofstream out(file_, std::ios::trunc);
  out << kept.ahead_ms << (kept.good ? " good" : " failed") << '\n';
}

std::int64_t ClockChip::read() {
  const std::lock_guard<std::mutex> guard(lock_);
  const Kept kept = load();
  return kept.good ? computer_ms() + kept.ahead_ms : 0;
}

void ClockChip::set(std::int64_t unix_ms) {
  const std::lock_guard<std::mutex> guard(lock_);
  save({unix_ms - computer_ms(), true});
}

void ClockChip::shift(std::int64_t seconds) {
  const std::lock_guard<std::mutex> guard(lock_);
  Kept kept = load();
  kept.ahead_ms += seconds * 1000;
  save(kept);
}

void ClockChip::fail() {
  const std::lock_guard<std::mutex> guard(lock_);
  Kept kept = load();
  kept.good = false;
  save(kept);
}

Clocks host_clocks() { return {now_ms, unix_seconds}; }

}  // namespace lobug::sim
