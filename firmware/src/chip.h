// The chip around the core: identity, randomness, clocks, log, light.
#pragma once

#include "lobug/base/random.h"
#include "lobug/base/text.h"
#include "lobug/device/power.h"
#include "lobug/ports/store.h"
#include "lobug/ports/system.h"
#include "lobug/setup/settings.h"
#include "lobug_sockets/ca_source.h"
#include "lobug_sockets/clocks.h"

namespace lobug {

class ChipSystem final : public System {
 public:
  /// After M5.begin, which finds out what board it is.
  void begin();
  std::string_view device_id() const override { return device_id_; }
  std::string_view board() const override { return board_; }
  /// Internal memory alone: PSRAM is plenty and cannot hold Wi-Fi's and TLS' inner parts.
  std::uint32_t free_memory() const override;
  void restart() override;
  void log(std::string_view line) override;
  std::int64_t unix_ms() const override;
  void set_time(std::int64_t unix_ms) override;

  /// "Lo-Bug-1A2B": the end of the MAC address tells two devices apart.
  const Text<16>& short_name() const { return short_name_; }

 private:
  Text<17> device_id_;
  Text<16> short_name_;
  std::string_view board_ = "m5stack";
};

/// The battery and the supply, as the power chip has them. By the screen's task.
BatteryReading read_power_chip();

/// The hardware's generator, which is a true one while Wi-Fi is on.
class ChipRandom final : public Random {
 public:
  std::uint32_t next() override;
};

/// One RGB light, if the build says that there is one (LOBUG_RGB_LED): M5Unified assumes lights on
/// every Core2, but they are in the M5GO bottom.
class ChipEffects final : public Effects {
 public:
  bool has_led() const override;
  void set_led(std::uint8_t red, std::uint8_t green, std::uint8_t blue) override;
};

class StoredCa final : public CaSource {
 public:
  explicit StoredCa(Store& store) : store_(store) {}
  const Text<2048>& ca() override {
    load_settings(store_, settings_);
    return settings_.ca;
  }

 private:
  Store& store_;
  Settings settings_;
};

Clocks chip_clocks();

}  // namespace lobug
