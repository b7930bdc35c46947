// Keeps the device in its Wi-Fi, and makes one of its own while it is set up. By the screen's task.
#pragma once

#include <WiFi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/exchange.h"
#include "lobug/base/random.h"
#include "lobug/base/text.h"
#include "lobug/device/screen_link.h"
#include "lobug/net/backoff.h"
#include "lobug/ports/store.h"
#include "lobug/ports/wifi.h"
#include "lobug/setup/settings.h"
#include "lobug_sockets/portal_server.h"

namespace lobug {

class WifiKeeper final : public Wifi {
 public:
  WifiKeeper(Store& store, Random& random, Queue<Input, 16>& inputs);
  void begin(std::string_view device_name);
  Link link() const override;
  void reload_if_changed() override;
  /// Not while a phone is on the setup page and has its list: the radio would leave its channel.
  bool look(Millis now) override;
  bool is_looking() const override { return looking_; }
  Span<const WifiNetwork> networks() const override {
    return Span<const WifiNetwork>(networks_.data(), networks_count_);
  }
  /// Whether the radio may sleep between beacons: it saves power, and what the server sends comes
  /// up to 300 ms late.
  void let_radio_sleep(bool sleeps);
  /// `setup`: the device waits to be set up. Never waits.
  void step(bool setup, Millis now);
  /// The name of the own network with its key, and the page's address, as far as they are open.
  void describe(View& view) const;

 private:
  static constexpr std::size_t kMostNetworks = 20;
  /// A busy access point may refuse once; who refuses twice does not know the password.
  static constexpr std::uint8_t kSureRefusals = 2;

  void join(Millis now);
  void watch_link(Millis now);
  void open_portal(Millis now);
  void step_portal(Millis now);
  void close_portal();
  void list_networks();
  void keep_network(std::uint8_t number, std::string_view name);
  bool push(Input::Kind kind, std::int32_t value, std::string_view text = {});

  Store& store_;
  Random& random_;
  Queue<Input, 16>& inputs_;
  PortalServer portal_;
  Settings settings_;
  Text<32> joined_name_;  // what was last tried
  Text<64> joined_password_;
  Text<16> device_name_;
  Text<8> portal_key_;
  Backoff backoff_{1000, 30000};
  Deadline try_again_;
  Deadline signal_;
  Deadline close_;
  Deadline scan_;
  Deadline guest_;
  bool reload_ = true;
  bool radio_sleeps_ = false;
  bool joined_ = false;
  bool has_list_ = false;      // of networks, since the portal was opened
  bool looking_ = false;       // for somebody on the serial line
  std::uint8_t refusals_ = 0;  // of the password, since it was stored
  std::size_t networks_count_ = 0;
  std::array<WifiNetwork, kMostNetworks> networks_{};

  // Between this task and Wi-Fi's events.
  std::atomic<bool> leaving_{false};
  std::atomic<bool> has_address_{false};
  std::atomic<std::uint8_t> lost_reason_{0};  // 0: not lost
};

}  // namespace lobug
