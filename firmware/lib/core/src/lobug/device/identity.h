// Who the device is to its server: client id, token, and what it says of itself; and by which key
// it knows the server's updates.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/device/device.h"
#include "lobug/net/http_client.h"
#include "lobug/setup/settings.h"

namespace lobug {

/// What the device says of itself in discovery.
struct Introduction {
  std::string_view device_id;
  std::string_view client_id;
  std::string_view board;
  std::string_view version;
  std::uint32_t free_memory = 0;
};

class Identity {
 public:
  /// Changes client id, token and key of updates in `settings`, and in the platform's store.
  Identity(const Platform& platform, Settings& settings)
      : platform_(platform), settings_(settings) {}

  /// Makes a client id if there is none, as on a new device.
  void ensure_client_id();
  /// The token for the server that is set; empty when there is none, or when another server gave
  /// it.
  std::string_view token() const;
  void keep_token(std::string_view token);
  void forget_token();
  /// Forgets the token and becomes another client, which the owner has to approve anew.
  void unpair();

  /// The key of the updates of the server that is set, hexadecimal; empty when there is none.
  std::string_view update_key() const;
  /// Keeps the first key of a server for good: any later one is ignored, so that nobody who answers
  /// in its place can bring another. An empty one is none.
  void keep_update_key(std::string_view key);
  /// At the owner's wish alone. A server that refuses the token does not make us forget its key:
  /// anybody can refuse a token.
  void forget_update_key();

  Introduction introduction() const;
  /// A request with token and ids, of `method` and `path`.
  HttpRequest request(std::string_view method, std::string_view path) const;

 private:
  /// What a token is bound to: the server's address as it is set, or "mdns".
  std::string_view server_name() const;

  const Platform& platform_;
  Settings& settings_;
};

}  // namespace lobug
