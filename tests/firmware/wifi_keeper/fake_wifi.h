// Arduino's Wi-Fi as the stubs declare it, without a radio: what was asked of
// it, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// What the fakes know and were told; a test makes a new one of it.
struct Air {
  std::vector<std::string> calls;                ///< "mode 3", "scan", "random" ...
  bool has_radio = true;                         ///< mode() succeeds
  int guests = 0;                                ///< phones on the device's own network
  std::vector<std::string> networks = {"Home"};  ///< what a scan finds, at once
  std::int16_t found = -2;                       ///< of the last scan; -2: there was none
  std::string chosen;                            ///< of `networks`, by SSID()
  std::string listed;                            ///< what the page offers
  std::function<void(int event, std::uint8_t reason)> tell;  ///< an event of Wi-Fi's own task

  std::size_t count(const std::string &call) const {
    std::size_t number = 0;
    for (const std::string &one : calls)
      number += one.substr(0, call.size()) == call ? 1 : 0;
    return number;
  }
  /// Where the first such call is; behind the last when there was none.
  std::size_t first(const std::string &call) const {
    std::size_t at = 0;
    while (at < calls.size() && calls[at].substr(0, call.size()) != call)
      ++at;
    return at;
  }
};
extern Air air;
/// The network has given the device an address.
void give_address();
