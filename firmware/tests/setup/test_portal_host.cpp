#include <doctest/doctest.h>

#include <string_view>

#include "lobug/setup/portal.h"

namespace lobug {
namespace {

TEST_CASE("port 80 may be said or not") {
  for (const std::string_view host : {"192.168.4.1", "192.168.4.1:80", ""}) {
    CAPTURE(host);
    CHECK(is_own_host(host, "192.168.4.1"));
  }
}

TEST_CASE("another port has to be said") {
  CHECK(is_own_host("192.168.4.1:8080", "192.168.4.1:8080"));
  for (const std::string_view host : {"192.168.4.1", "192.168.4.1:80", "192.168.4.1:8080:80"}) {
    CAPTURE(host);
    CHECK_FALSE(is_own_host(host, "192.168.4.1:8080"));
  }
}

TEST_CASE("whom else a request may be for") {
  for (const std::string_view host :
       {"nmcheck.gnome.org", "captive.apple.com", "192.168.4.10", "192.168.4.", "192.168.4.1.",
        "192.168.4.1.example.org", "192.168.4.1:", "192.168.4.1:8", "192.168.4.1:8080",
        "192.168.4.1:80 ", "192.168.4.1/", "1192.168.4.1", ":80", "[::1]:80", "lo-bug.local"}) {
    CAPTURE(host);
    CHECK_FALSE(is_own_host(host, "192.168.4.1"));
  }
}

}  // namespace
}  // namespace lobug
