// The captive portal's server on loopback, with clients on the same thread.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lobug_sockets/portal_server.h"
#include "sockets/loopback_client.h"
#include "support/memory_store.h"

namespace lobug {

constexpr std::uint8_t kPortalHere[4] = {127, 0, 0, 1};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A portal on loopback, whose clock stands still unless a test moves it.
struct PortalRig {
  MemoryStore store;
  PortalServer portal{store};
  std::uint16_t web = 0;
  std::uint16_t dns = 0;
  Millis now = 0xFFFFF000U;  // deadlines lie behind the clock's wrap

  PortalRig() {
    for (int attempt = 0; attempt < 10 && !portal.is_open(); ++attempt) {
      web = free_port(SOCK_STREAM);
      dns = free_port(SOCK_DGRAM);
      (void)portal.begin(kPortalHere, web, dns);
    }
    REQUIRE(portal.is_open());
  }

  /// Lets both sides work until `done`, or for two seconds at most.
  template <typename Done>
  bool work_until(Done done) {
    for (int round = 0; round < 2000; ++round) {
      portal.step(now);
      if (done()) return true;
      (void)::poll(nullptr, 0, 1);
    }
    return false;
  }
  /// Long enough for whatever is going to happen on loopback at this moment of the portal's clock.
  void settle() {
    for (int round = 0; round < 20; ++round) {
      portal.step(now);
      (void)::poll(nullptr, 0, 1);
    }
  }
  bool ends(LoopbackClient& client) {
    return work_until([&] {
      client.take();
      return client.ended();
    });
  }
  /// The whole answer to one request.
  std::string answer_to(const std::string& request) {
    LoopbackClient client(web);
    CHECK(client.send(request));
    CHECK(ends(client));
    CHECK_FALSE(client.was_reset());
    return client.received();
  }
  /// A request for `path`; its `Host` is ours.
  std::string request(const std::string& method, const std::string& path) const {
    return method + " " + path + " HTTP/1.1\r\nHost: " + host() + "\r\n\r\n";
  }
  /// A form that is sent to us; `headers` are more of them.
  std::string post(const std::string& body, const std::string& headers = "") const {
    return "POST / HTTP/1.1\r\nHost: " + host() + "\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  std::string host() const { return "127.0.0.1:" + std::to_string(web); }
  std::string origin() const { return "http://" + host(); }
};

/// TCP's descriptors of this process at the server's port: its own and those that it has accepted.
inline std::vector<int> sockets_at(std::uint16_t port, bool listening) {
  const auto option = [](int descriptor, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    return ::getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
  };
  std::vector<int> found;
  for (int descriptor = 0; descriptor < 1024; ++descriptor) {
    // The DNS server's port may happen to have the same number.
    if (local_port(descriptor) != port || option(descriptor, SO_TYPE) != SOCK_STREAM) continue;
    if ((option(descriptor, SO_ACCEPTCONN) > 0) == listening) found.push_back(descriptor);
  }
  return found;
}

}  // namespace lobug
