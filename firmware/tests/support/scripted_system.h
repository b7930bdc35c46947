// A machine around the device that only notes what it is told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/ports/system.h"

namespace lobug::test {

class ScriptedSystem final : public System {
 public:
  int restarts = 0;
  std::uint32_t memory = 200000;
  std::vector<std::string> lines;
  std::int64_t time_ms = 0;
  std::string_view device_id() const override { return "aa:bb:cc:dd:ee:ff"; }
  std::string_view board() const override { return "host"; }
  std::uint32_t free_memory() const override { return memory; }
  void restart() override { ++restarts; }
  void log(std::string_view line) override { lines.emplace_back(line); }
  std::int64_t unix_ms() const override { return time_ms; }
  void set_time(std::int64_t unix_ms) override { time_ms = unix_ms; }
};

}  // namespace lobug::test
