// Stub: ESP-IDF 4.4, components/mdns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "esp_err.h"
#include "esp_netif_ip_addr.h"

#define MDNS_TYPE_PTR 0x000C

struct mdns_search_once_t;
struct mdns_ip_addr_t {
  esp_ip_addr_t addr;
  mdns_ip_addr_t* next;
};
struct mdns_result_t {
  mdns_result_t* next;
  std::uint16_t port;
  mdns_ip_addr_t* addr;
};
using mdns_query_notify_t = void (*)(mdns_search_once_t* search);

extern "C" {
esp_err_t mdns_init(void);
mdns_search_once_t* mdns_query_async_new(const char* name, const char* service_type,
                                         const char* proto, std::uint16_t type,
                                         std::uint32_t timeout, std::size_t max_results,
                                         mdns_query_notify_t notifier);
bool mdns_query_async_get_results(mdns_search_once_t* search, std::uint32_t timeout,
                                  mdns_result_t** results);
esp_err_t mdns_query_async_delete(mdns_search_once_t* search);
void mdns_query_results_free(mdns_result_t* results);
}
