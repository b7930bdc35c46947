// Finds the server in the local network by multicast DNS (_lobug._tcp).
#pragma once

#include <mdns.h>

#include "lobug/ports/system.h"

namespace lobug {

/// ESP-IDF's own mDNS: Arduino's ESPmDNS waits for the answer, this one asks and comes back.
class MdnsFinder final : public ServerFinder {
 public:
  void start() override;
  Search poll(char* host, unsigned host_size, std::uint16_t& port) override;

 private:
  bool running_ = false;  // mdns_init succeeded
  mdns_search_once_t* search_ = nullptr;
};

}  // namespace lobug
