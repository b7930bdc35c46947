// Addresses as owners type them and servers send them.
#pragma once

#include <string_view>

#include "lobug/base/text.h"
#include "lobug/ports/connection.h"

namespace lobug {

struct Url {
  Endpoint endpoint;
  Text<256> path;  ///< with the query, at least "/"
};

/// http, https, ws or wss; IPv6 in brackets. False when it is none or too long; user names,
/// fragments, spaces, control characters and what is not ASCII are refused, and `url` is then left
/// as it was. The host is stored in small letters and without brackets.
bool parse_url(std::string_view text, Url& url);
/// A name, an IPv4 or an IPv6 address (without brackets), and nothing else.
bool is_host(std::string_view text);
/// "192.168.1.5:8321", for the Host header: the port is left out where it is the scheme's own.
Text<140> host_of(const Endpoint& endpoint);

/// The path of one of our requests at a server whose address may have a path of its own (a reverse
/// proxy's); empty when it is too long.
Text<300> path_at(const Url& server, std::string_view path);

}  // namespace lobug
