#include "chip.h"

#include <Arduino.h>
#include <M5Unified.h>
#include <esp_heap_caps.h>
#include <esp_system.h>
#include <sys/time.h>
// Where ESP-IDF has moved them out of esp_system.h.
#if __has_include(<esp_mac.h>)
#include <esp_mac.h>
#endif
#if __has_include(<esp_random.h>)
#include <esp_random.h>
#endif

#include <cstdio>
#include <ctime>

#include "lobug/base/calendar.h"

namespace lobug {
namespace {

/// What the firmware has to know of a board that M5Unified has recognised.
struct Board {
  const char* name = "m5stack";  ///< as updates are filed under
  int light_pin = -1;            ///< of the M5-Bus, where an M5GO bottom has its lights; -1: none
  bool may_have_base = false;
  // Where Stack-chan's builders have their servos. The plug that turns the head is the first one.
  ServoPins port_a;
  ServoPins port_c;
  ServoPins m5bus;
};

constexpr Board kCore2{"m5stack-core2", 25, false, {33, 32}, {13, 14}, {19, 27}};
constexpr Board kCoreS3{"m5stack-cores3", 5, true, {1, 2}, {17, 18}, {7, 6}};
constexpr Board kUnknown;

const Board& board_of(int board) {
  // M5GFX 0.2.17 takes StackChan for the CoreS3 that it has inside. Newer ones have a name for it
  // that the pinned one lacks, so the number stands here.
  constexpr int kStackChan = 27;
  switch (board) {
    case m5::board_t::board_M5StackCore2:
      return kCore2;
    case m5::board_t::board_M5StackCoreS3:
    case m5::board_t::board_M5StackCoreS3SE:
    case kStackChan:
      return kCoreS3;
    default:
      return kUnknown;
  }
}

constexpr rmt_channel_t kLightChannel = RMT_CHANNEL_0;
/// Ticks of 25 ns: APB's 80 MHz by this.
constexpr std::uint8_t kClockDivider = 2;
/// An SK6812 takes a high of 0.3 us for a 0 and of 0.6 us for a 1, in 1.2 us altogether.
constexpr std::uint16_t kHighOfZero = 12;
constexpr std::uint16_t kHighOfOne = 24;
constexpr std::uint16_t kBit = 48;

bool start_lights(int pin) {
  rmt_config_t config{};
  config.rmt_mode = RMT_MODE_TX;
  config.channel = kLightChannel;
  config.gpio_num = static_cast<gpio_num_t>(pin);
  config.clk_div = kClockDivider;
  // 256 bits on an ESP32, so that nothing has to be refilled in time; 192 on an ESP32-S3, whose
  // other blocks belong to receivers.
  config.mem_block_num = 4;
  config.tx_config.idle_level = RMT_IDLE_LEVEL_LOW;
  config.tx_config.idle_output_en = true;
  return rmt_config(&config) == ESP_OK && rmt_driver_install(kLightChannel, 0, 0) == ESP_OK;
}

Millis now_ms() { return millis(); }
std::int64_t unix_seconds() { return static_cast<std::int64_t>(std::time(nullptr)); }

void set_system_time(std::int64_t unix_ms) {
  timeval time{};
  time.tv_sec = static_cast<decltype(time.tv_sec)>(unix_ms / 1000);
  time.tv_usec = static_cast<decltype(time.tv_usec)>(unix_ms % 1000 * 1000);
  (void)settimeofday(&time, nullptr);
}

/// Seconds since 1970; 0: there is no clock chip, or its supply failed since it was set.
std::int64_t clock_chip_seconds() {
  m5::rtc_datetime_t read;
  if (!M5.Rtc.isEnabled() || M5.Rtc.getVoltLow() || !M5.Rtc.getDateTime(&read)) return 0;
  DateTime moment;
  moment.year = read.date.year;
  moment.month = static_cast<std::uint8_t>(read.date.month);
  moment.day = static_cast<std::uint8_t>(read.date.date);
  moment.hour = static_cast<std::uint8_t>(read.time.hours);
  moment.minute = static_cast<std::uint8_t>(read.time.minutes);
  moment.second = static_cast<std::uint8_t>(read.time.seconds);
  const std::int64_t seconds = unix_seconds_of(moment);
  return is_plausible_time(seconds) ? seconds : 0;
}

/// In UTC. Writing the seconds takes the low-voltage flag away.
void set_clock_chip(std::int64_t unix_seconds) {
  if (!M5.Rtc.isEnabled()) return;
  const DateTime moment = date_time_of(unix_seconds);
  const m5::rtc_date_t date(
      static_cast<std::int16_t>(moment.year), static_cast<std::int8_t>(moment.month),
      static_cast<std::int8_t>(moment.day), static_cast<std::int8_t>(moment.weekday));
  const m5::rtc_time_t time(static_cast<std::int8_t>(moment.hour),
                            static_cast<std::int8_t>(moment.minute),
                            static_cast<std::int8_t>(moment.second));
  M5.Rtc.setDateTime(&date, &time);
}

}  // namespace

bool may_have_base(int board) { return board_of(board).may_have_base; }

ServoPins servo_pins(BodyKind kind) {
  const Board& board = board_of(M5.getBoard());
  switch (kind) {
    case BodyKind::kPortA:
      return board.port_a;
    case BodyKind::kPortC:
      return board.port_c;
    case BodyKind::kM5Bus:
      return board.m5bus;
    default:
      return {};
  }
}

void ChipSystem::begin() {
  // M5.begin has set the system's time by the clock chip without asking whether its supply failed.
  set_system_time(clock_chip_seconds() * 1000);
  std::uint8_t mac[6] = {};
  (void)esp_read_mac(mac, ESP_MAC_WIFI_STA);
  char text[18];
  (void)std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
                      mac[3], mac[4], mac[5]);
  device_id_ = Text<17>(text);
  (void)std::snprintf(text, sizeof text, "Lo-Bug-%02X%02X", mac[4], mac[5]);
  short_name_ = Text<16>(text);
  board_ = board_of(M5.getBoard()).name;
}

std::uint32_t ChipSystem::free_memory() const {
  // Without MALLOC_CAP_8BIT what is left of instruction memory would count, which holds no data.
  return static_cast<std::uint32_t>(heap_caps_get_free_size(MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT));
}

void ChipSystem::restart() {
  Serial.flush();
  esp_restart();
}

void ChipSystem::log(std::string_view line) {
  Serial.write(reinterpret_cast<const std::uint8_t*>(line.data()), line.size());
  Serial.write('\n');
}

std::int64_t ChipSystem::unix_ms() const {
  timeval time{};
  (void)gettimeofday(&time, nullptr);
  const std::int64_t seconds = time.tv_sec;
  return is_plausible_time(seconds) ? seconds * 1000 + time.tv_usec / 1000 : 0;
}

void ChipSystem::set_time(std::int64_t unix_ms) {
  set_system_time(unix_ms);
  if (unix_ms != 0) set_clock_chip(unix_ms / 1000);
}

BatteryReading read_power_chip() {
  BatteryReading reading;
  bool has_battery = false;  // a CoreS3 SE has none, and a chip that does not answer says 0 %
  switch (M5.Power.getType()) {
    case m5::Power_Class::pmic_axp2101:
      has_battery = M5.Power.Axp2101.getBatState();
      reading.powered = M5.Power.Axp2101.isVBUS();
      break;
#if !CONFIG_IDF_TARGET_ESP32S3
    case m5::Power_Class::pmic_axp192:
      // A Core2's USB is ACIN; VBUS is the M-Bus, which the device itself supplies.
      has_battery = M5.Power.Axp192.getBatState();
      reading.powered = M5.Power.Axp192.isACIN();
      break;
#endif
    default:
      break;
  }
  const std::int32_t level = M5.Power.getBatteryLevel();
  reading.known = has_battery && is_believable_level(level, M5.Power.getBatteryVoltage());
  reading.percent = reading.known ? static_cast<std::uint8_t>(level) : std::uint8_t{0};
  reading.charging = M5.Power.isCharging() == m5::Power_Class::is_charging;
  return reading;
}

std::uint32_t ChipRandom::next() { return esp_random(); }

void ChipEffects::begin() { pin_ = board_of(M5.getBoard()).light_pin; }

void ChipEffects::show_leds(const LedColors& colors) {
  if (base_.found()) {
    base_.show_lights(colors);
    return;
  }
  if (!started_) started_ = has_led() && start_lights(pin_);
  // Skipped while the last ones are under way, which 0.3 ms later they are not.
  if (!started_ || rmt_wait_tx_done(kLightChannel, 0) != ESP_OK) return;
  std::size_t place = 0;
  for (const LedColor& color : colors) {
    for (const std::uint8_t byte : {color.green, color.red, color.blue}) {
      for (unsigned bit = 0x80; bit != 0; bit >>= 1U) {
        const std::uint16_t high = (byte & bit) != 0 ? kHighOfOne : kHighOfZero;
        rmt_item32_t& item = items_[place++];
        item.level0 = 1;
        item.duration0 = high;
        item.level1 = 0;
        item.duration1 = kBit - high;
      }
    }
  }
  (void)rmt_write_items(kLightChannel, items_.data(), static_cast<int>(items_.size()), false);
}

Clocks chip_clocks() {
  Clocks clocks;
  clocks.now = now_ms;
  clocks.unix_seconds = unix_seconds;
  return clocks;
}

}  // namespace lobug
