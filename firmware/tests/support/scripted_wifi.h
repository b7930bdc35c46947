// A Wi-Fi and a serial line's way out that a test plays.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lobug/ports/serial.h"
#include "lobug/ports/wifi.h"

namespace lobug {

class ScriptedWifi final : public Wifi {
 public:
  Link state = Link::kNone;
  bool can_look = true;
  bool looking = false;
  int reloads = 0;
  std::vector<WifiNetwork> found;

  Link link() const override { return state; }
  void reload_if_changed() override { ++reloads; }
  bool look(Millis) override { return looking = can_look; }
  bool is_looking() const override { return looking; }
  Span<const WifiNetwork> networks() const override { return {found.data(), found.size()}; }
};

class KeptOutput final : public SerialOutput {
 public:
  void write(std::string_view bytes) override { written_ += bytes; }
  std::string take() { return std::exchange(written_, {}); }

 private:
  std::string written_;
};

}  // namespace lobug
