// The chip around the core: identity, randomness, clocks, log, light.
#pragma once

#include <driver/rmt.h>

#include <array>

#include "lobug/base/random.h"
#include "lobug/base/text.h"
#include "lobug/body/attitude.h"
#include "lobug/device/power.h"
#include "lobug/ports/store.h"
#include "lobug/ports/system.h"
#include "lobug/setup/settings.h"
#include "lobug_sockets/ca_source.h"
#include "lobug_sockets/clocks.h"
#include "stackchan_base.h"

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

/// Whether StackChan's base may be below this board, as M5Unified numbers it.
bool may_have_base(int board);

/// Where hobby servos hang; -1: this board has no such pins.
struct ServoPins {
  std::int8_t yaw = -1;
  std::int8_t pitch = -1;
  bool exist() const { return yaw >= 0; }
};
ServoPins servo_pins(BodyKind kind);

/// The lights of StackChan's base, where there is one. Else the ten (SK6812) of an M5GO bottom,
/// driven by the chip's remote control unit: M5Unified's own M5.Led does nothing on ESP-IDF 4.4,
/// and knows one light of a Core2 and none of a CoreS3.
class ChipEffects final : public Effects {
 public:
  explicit ChipEffects(const StackChanBase& base) : base_(base) {}
  /// After M5.begin. Touches no pin: that waits for the first colours.
  void begin();
  bool has_led() const override { return pin_ >= 0; }
  bool finds_led() const override { return base_.found(); }
  void show_leds(const LedColors& colors) override;

 private:
  static constexpr std::size_t kBits = kLedCount * 24;

  const StackChanBase& base_;
  int pin_ = -1;
  bool started_ = false;
  /// What is being sent; the driver reads it while it sends, 0.3 ms.
  std::array<rmt_item32_t, kBits> items_{};
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
