// Whom a request to the captive portal is for.
#include "lobug/setup/portal.h"

namespace lobug {

bool is_own_host(std::string_view host, std::string_view own) {
  constexpr std::string_view kHttpPort = ":80";
  if (host.empty() || host == own) return true;
  const bool at_http_port = own.find(':') == std::string_view::npos;
  return at_http_port && host.substr(0, own.size()) == own && host.substr(own.size()) == kHttpPort;
}

}  // namespace lobug
