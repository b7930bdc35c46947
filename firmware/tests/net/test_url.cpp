#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "lobug/net/url.h"

using namespace lobug;

namespace {

struct Good {
  const char* text;
  const char* host;
  int port;
  bool tls;
  const char* path;
};

const Good kGood[] = {
    {"http://a", "a", 80, false, "/"},
    {"https://a", "a", 443, true, "/"},
    {"ws://a", "a", 80, false, "/"},
    {"wss://a", "a", 443, true, "/"},
    {"HTTP://LoBug.Local:8321/Xiaozhi/ota/", "lobug.local", 8321, false, "/Xiaozhi/ota/"},
    {"http://192.168.1.5:8321", "192.168.1.5", 8321, false, "/"},
    {"http://0.0.0.0", "0.0.0.0", 80, false, "/"},
    {"http://255.255.255.255:65535/", "255.255.255.255", 65535, false, "/"},
    {"http://a:1", "a", 1, false, "/"},
    {"http://a:00080", "a", 80, false, "/"},
    {"http://a?x=1", "a", 80, false, "/?x=1"},
    {"http://a/?x=http://b:1/@c", "a", 80, false, "/?x=http://b:1/@c"},
    {"http://a/b?c%20d&e=[f]", "a", 80, false, "/b?c%20d&e=[f]"},
    {"http://AZaz/~!%7E", "azaz", 80, false, "/~!%7E"},
    {"http://[0123:4567:89ab:cdef:ABCD:EF::]", "0123:4567:89ab:cdef:abcd:ef::", 80, false, "/"},
    {"http://my_server-1.lan/", "my_server-1.lan", 80, false, "/"},
    {"http://1a", "1a", 80, false, "/"},
    {"http://4.example", "4.example", 80, false, "/"},
    {"ws://[::1]:8000/xiaozhi/v1/", "::1", 8000, false, "/xiaozhi/v1/"},
    {"https://[2001:DB8::1]", "2001:db8::1", 443, true, "/"},
    {"http://[::]", "::", 80, false, "/"},
    {"http://[1:2:3:4:5:6:7:8]/", "1:2:3:4:5:6:7:8", 80, false, "/"},
    {"http://[1::]/", "1::", 80, false, "/"},
    {"http://[::ffff:192.168.1.5]/", "::ffff:192.168.1.5", 80, false, "/"},
    {"http://[1:2:3:4:5:6:10.0.0.1]/", "1:2:3:4:5:6:10.0.0.1", 80, false, "/"},
};

const char* const kBad[] = {
    "",
    "http",
    "http:",
    "http:/",
    "http://",
    "http:///path",
    "http:a",
    "//a",
    "a",
    "a:80",
    "192.168.1.5",
    "ftp://a",
    "file:///etc/passwd",
    "javascript:alert(1)",
    " http://a",
    "http://a ",
    "http://a b",
    "http://a/b c",
    "http://a/\tb",
    "http://a\r\nHost: b",
    "http://a/\r\nHost: b",
    "http://a/\n",
    "http://a/\x7F",
    "http://a/\xC3\xA4",
    "http://\xC3\xA4/",
    "http://user@a",
    "http://user:pass@a/",
    "http://a#b",
    "http://a/#b",
    "http://a\\b",
    "http://a/\\b",
    "http://a:",
    "http://a:/",
    "http://a:0",
    "http://a:65536",
    "http://a:99999999999",
    "http://a:000080",
    "http://a:-1",
    "http://a:+80",
    "http://a:8o",
    "http://a:80:80",
    "http://.",
    "http://.a",
    "http://a.",
    "http://a..b",
    "http://a,b",
    "http://a%41",
    "http://*",
    "http://1",
    "http://1.2.3",
    "http://1.2.3.4.5",
    "http://1.2.3.256",
    "http://1.2.3.04",
    "http://1.2.3.",
    "http://a.1",
    "http://99999999999999999999",
    "http://::1",
    "http://[]",
    "http://[::1",
    "http://::1]",
    "http://[::1]a",
    "http://[::1]:",
    "http://[::1]80",
    "http://[:]",
    "http://[:::]",
    "http://[::1::]",
    "http://[1:2:3:4:5:6:7]",
    "http://[1:2:3:4:5:6:7:]",
    "http://[:1:2:3:4:5:6:7]",
    "http://[1:2:3:4:5:6:7:8:9]",
    "http://[1:2:3:4:5:6:7:8::]",
    "http://[12345::]",
    "http://[g::]",
    "http://[fe80::1%25eth0]",
    "http://[::1.2.3]",
    "http://[1.2.3.4]",
    "http://[::1.2.3.4:5]",
    "http://[v1.a]",
    "http://[[::1]]",
};

}  // namespace

TEST_CASE("an address of an owner or a server is taken apart") {
  for (const Good& good : kGood) {
    CAPTURE(good.text);
    Url url;
    REQUIRE(parse_url(good.text, url));
    CHECK(std::string(url.endpoint.host.view()) == good.host);
    CHECK(static_cast<int>(url.endpoint.port) == good.port);
    CHECK(url.endpoint.tls == good.tls);
    CHECK(std::string(url.path.view()) == good.path);
    CHECK(is_host(url.endpoint.host));
  }
}

TEST_CASE("what is no address is refused and changes nothing") {
  for (const char* bad : kBad) {
    CAPTURE(bad);
    Url url;
    REQUIRE(parse_url("https://kept:1234/path", url));
    CHECK_FALSE(parse_url(bad, url));
    CHECK(url.endpoint.host == "kept");
    CHECK(url.endpoint.port == 1234);
    CHECK(url.endpoint.tls);
    CHECK(url.path == "/path");
  }
  Url url;
  CHECK_FALSE(parse_url(std::string_view("http://a\0b/", 11), url));
  CHECK_FALSE(parse_url(std::string_view("http://a/\0", 10), url));
}

TEST_CASE("lengths of an address are bounded, and what just fits is taken") {
  const std::string label(63, 'a');
  const std::string host = label + "." + label + ".";  // 128 with its dots
  Url url;
  CHECK(parse_url("http://" + host.substr(0, 127) + "/", url));
  CHECK(url.endpoint.host.size() == 127);
  CHECK(parse_url("http://b." + label + "." + label.substr(1) + "/", url));
  CHECK(url.endpoint.host.size() == 128);
  CHECK_FALSE(parse_url("http://b." + label + "." + label + "/", url));
  CHECK_FALSE(parse_url("http://a" + label + "/", url));

  CHECK(parse_url("http://a/" + std::string(255, 'p'), url));
  CHECK(url.path.size() == 256);
  CHECK_FALSE(parse_url("http://a/" + std::string(256, 'p'), url));
  CHECK(parse_url("http://a?" + std::string(254, 'p'), url));
  CHECK(url.path.size() == 256);
  CHECK_FALSE(parse_url("http://a?" + std::string(255, 'p'), url));
  CHECK_FALSE(parse_url("http://" + std::string(1000000, 'a'), url));
  CHECK_FALSE(parse_url("http://[" + std::string(1000000, ':') + "]", url));
}

TEST_CASE("the Host header leaves out the scheme's own port and puts IPv6 into brackets") {
  const auto host = [](const char* text) {
    Url url;
    REQUIRE(parse_url(text, url));
    return std::string(host_of(url.endpoint).view());
  };
  CHECK(host("http://a") == "a");
  CHECK(host("http://a:80") == "a");
  CHECK(host("ws://a:443") == "a:443");
  CHECK(host("https://a:443") == "a");
  CHECK(host("wss://a:80") == "a:80");
  CHECK(host("http://192.168.1.5:8321/x") == "192.168.1.5:8321");
  CHECK(host("http://a:65535") == "a:65535");
  CHECK(host("http://a:1") == "a:1");
  CHECK(host("http://[::1]:8000") == "[::1]:8000");
  CHECK(host("https://[::1]") == "[::1]");

  // The longest there is still fits.
  Endpoint longest;
  longest.host.assign(std::string(128, 'a'));
  longest.port = 65535;
  CHECK(host_of(longest).size() == 134);
}

TEST_CASE("an address that was read and written is the same") {
  for (const Good& good : kGood) {
    CAPTURE(good.text);
    Url url;
    REQUIRE(parse_url(good.text, url));
    Text<512> written(url.endpoint.tls ? "https://" : "http://");
    written.append(host_of(url.endpoint));
    written.append(url.path);
    Url again;
    REQUIRE(parse_url(written, again));
    CHECK(again.endpoint.host == url.endpoint.host.view());
    CHECK(again.endpoint.port == url.endpoint.port);
    CHECK(again.path == url.path.view());
  }
}

TEST_CASE("our requests go below the path that an address has of its own") {
  Url url;
  REQUIRE(parse_url("http://10.0.0.2:8321", url));
  CHECK(path_at(url, "/context/sensors") == "/context/sensors");
  REQUIRE(parse_url("https://home.example/lobug/", url));
  CHECK(path_at(url, "/xiaozhi/ota/") == "/lobug/xiaozhi/ota/");
  CHECK(path_at(url, std::string(300, 'a')).empty());
}
