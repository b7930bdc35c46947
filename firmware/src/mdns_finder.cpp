#include "mdns_finder.h"

#include <esp_netif_ip_addr.h>

#include <cstdio>

namespace lobug {
namespace {

constexpr std::uint32_t kAnswerMs = 3000;
constexpr std::size_t kMostServers = 4;

}  // namespace

void MdnsFinder::start() {
  // An earlier search that still runs cannot be deleted: its answer is as good as a new one's.
  if (search_ != nullptr) return;
  if (!running_) running_ = mdns_init() == ESP_OK;
  if (!running_) return;
  search_ = mdns_query_async_new(nullptr, "_lobug", "_tcp", MDNS_TYPE_PTR, kAnswerMs, kMostServers,
                                 nullptr);
}

ServerFinder::Search MdnsFinder::poll(char* host, unsigned host_size, std::uint16_t& port) {
  if (search_ == nullptr) return Search::kNone;
  mdns_result_t* results = nullptr;
  if (!mdns_query_async_get_results(search_, 0, &results)) return Search::kSearching;
  Search found = Search::kNone;
  for (const mdns_result_t* server = results; server != nullptr && found == Search::kNone;
       server = server->next) {
    for (const mdns_ip_addr_t* one = server->addr; one != nullptr; one = one->next) {
      if (one->addr.type != ESP_IPADDR_TYPE_V4 || server->port == 0) continue;
      const esp_ip4_addr_t& address = one->addr.u_addr.ip4;
      const int length = std::snprintf(host, host_size, IPSTR, IP2STR(&address));
      if (length <= 0 || static_cast<unsigned>(length) >= host_size) continue;
      port = server->port;
      found = Search::kFound;
      break;
    }
  }
  mdns_query_results_free(results);
  (void)mdns_query_async_delete(search_);
  search_ = nullptr;
  return found;
}

}  // namespace lobug
