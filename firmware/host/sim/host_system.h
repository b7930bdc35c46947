// The machine around the simulated device: identity, randomness, restart, log, what mDNS finds.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "event_log.h"
#include "host_clock.h"
#include "lobug/base/random.h"
#include "lobug/ports/system.h"
#include "options.h"

namespace lobug::sim {

class HostRandom final : public Random {
 public:
  /// 0: another beginning each time.
  explicit HostRandom(std::uint32_t seed) : generator_(seed != 0 ? seed : std::random_device{}()) {}
  std::uint32_t next() override { return static_cast<std::uint32_t>(generator_()); }

 private:
  std::mt19937 generator_;
};

/// Events: `log` with `line`, `time` with `unix_ms`.
class HostSystem final : public System {
 public:
  /// `restart` does not return.
  HostSystem(const Options& options, EventLog& log, ClockChip& clock_chip,
             std::function<void()> restart)
      : options_(options), log_(log), clock_chip_(clock_chip), restart_(std::move(restart)) {
    set_unix_ms(clock_chip_.read());
  }

  std::string_view device_id() const override { return options_.device_id; }
  std::string_view board() const override { return options_.board; }
  std::uint32_t free_memory() const override { return options_.free_memory; }
  void restart() override { restart_(); }
  void log(std::string_view line) override {
    log_.emit("log", [&](json::Writer& json) { json.name("line").text(line); });
  }
  std::int64_t unix_ms() const override { return sim::unix_ms(); }
  void set_time(std::int64_t unix_ms) override {
    set_unix_ms(unix_ms);
    if (unix_ms != 0) clock_chip_.set(unix_ms);
    log_.emit("time", [&](json::Writer& json) { json.name("unix_ms").number(unix_ms); });
  }

 private:
  const Options& options_;
  EventLog& log_;
  ClockChip& clock_chip_;
  std::function<void()> restart_;
};

/// Finds what the command line says, after a moment as mDNS does.
class ScriptedFinder final : public ServerFinder {
 public:
  explicit ScriptedFinder(const std::string& finds) : finds_(finds) {}
  void start() override { asked_at_ = now_ms(); }
  Search poll(char* host, unsigned host_size, std::uint16_t& port) override {
    constexpr Millis kAnswerMs = 200;
    if (elapsed(asked_at_, now_ms()) < kAnswerMs) return Search::kSearching;
    const std::size_t colon = finds_.rfind(':');
    std::uint32_t number = 0;
    if (colon == std::string::npos || colon >= host_size ||
        !read_number(finds_.substr(colon + 1), 65535, number)) {
      return Search::kNone;
    }
    finds_.copy(host, colon);
    host[colon] = '\0';
    port = static_cast<std::uint16_t>(number);
    return Search::kFound;
  }

 private:
  const std::string finds_;
  Millis asked_at_ = 0;
};

/// Events: `led` with `red`, `green`, `blue` of the first light, whenever a light changes.
class HostEffects final : public Effects {
 public:
  HostEffects(bool has_led, bool finds_led, EventLog& log)
      : has_led_(has_led || finds_led), finds_led_(finds_led), log_(log) {}
  bool has_led() const override { return has_led_; }
  bool finds_led() const override { return finds_led_; }
  void show_leds(const LedColors& colors) override {
    const LedColor& first = colors[0];
    log_.emit("led", [&](json::Writer& json) {
      json.name("red").number(first.red).name("green").number(first.green);
      json.name("blue").number(first.blue);
    });
  }

 private:
  const bool has_led_;
  const bool finds_led_;
  EventLog& log_;
};

}  // namespace lobug::sim
