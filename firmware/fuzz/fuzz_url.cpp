// Addresses: what is taken can be written and read again, and holds nothing that breaks a header.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/net/url.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);
  const std::string_view text(bytes.data(), bytes.size());

  lobug::Url url;
  url.path = "/kept";
  url.endpoint.port = 4711;
  if (!lobug::parse_url(text, url)) {
    require(url.path == "/kept" && url.endpoint.host.empty() && url.endpoint.port == 4711);
    require(!url.endpoint.tls);
  } else {
    require(lobug::is_host(url.endpoint.host) && url.endpoint.port != 0);
    require(url.path.view().front() == '/');
    const std::string written = std::string(url.endpoint.tls ? "wss://" : "ws://") +
                                std::string(lobug::host_of(url.endpoint).view()) +
                                std::string(url.path.view());
    for (const char c : written) require(c > ' ' && c <= '~');
    lobug::Url again;
    require(lobug::parse_url(written, again));
    require(again.endpoint.host == url.endpoint.host.view() && again.path == url.path.view());
    require(again.endpoint.port == url.endpoint.port && again.endpoint.tls == url.endpoint.tls);
  }

  // A host alone is what an address may have in its place, unless it is too long for one.
  if (lobug::is_host(text) && size <= url.endpoint.host.capacity()) {
    const bool brackets = text.find(':') != std::string_view::npos;
    const std::string host(text);
    lobug::Url made;
    require(lobug::parse_url("http://" + (brackets ? "[" + host + "]" : host), made));
    require(made.endpoint.host.size() == size);
  }
  return 0;
}
