#include "lobug/net/url.h"

#include <cstddef>
#include <cstdint>

#include "lobug/net/http_syntax.h"

namespace lobug {
namespace {

constexpr std::size_t kMostLabel = 63;  // RFC 1035, 2.3.4

struct Scheme {
  std::string_view prefix;
  bool tls;
};
constexpr Scheme kSchemes[] = {
    {"http://", false}, {"https://", true}, {"ws://", false}, {"wss://", true}};

constexpr std::uint16_t kPlainPort = 80;
constexpr std::uint16_t kTlsPort = 443;

std::uint16_t default_port(bool tls) { return tls ? kTlsPort : kPlainPort; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Four numbers of 0 to 255, without leading zeros, which some systems read as octal.
bool is_ipv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    std::size_t digits = 0;
    unsigned value = 0;
    while (digits < text.size() && digits < 4 && is_digit(text[digits])) {
      value = value * 10 + static_cast<unsigned>(text[digits] - '0');
      ++digits;
    }
    if (digits == 0 || value > 255 || (digits > 1 && text[0] == '0')) return false;
    text.remove_prefix(digits);
    if (part == 3) return text.empty();
    if (text.empty() || text[0] != '.') return false;
    text.remove_prefix(1);
  }
  return false;
}

/// RFC 4291, 2.2, without a zone, whose meaning differs from computer to computer.
bool is_ipv6(std::string_view text) {
  int groups = 0;
  bool gap = false;
  if (text.substr(0, 2) == "::") {
    gap = true;
    text.remove_prefix(2);
    if (text.empty()) return true;
  }
  while (true) {
    if (is_ipv4(text)) {  // the last four bytes may be written that way
      groups += 2;
      break;
    }
    std::size_t digits = 0;
    while (digits < text.size() && is_hex(text[digits])) ++digits;
    if (digits == 0 || digits > 4) return false;
    ++groups;
    text.remove_prefix(digits);
    if (text.empty()) break;
    if (text[0] != ':' || groups > 8) return false;
    text.remove_prefix(1);
    if (!text.empty() && text[0] == ':') {
      if (gap) return false;
      gap = true;
      text.remove_prefix(1);
      if (text.empty()) break;
    }
  }
  return gap ? groups < 8 : groups == 8;
}

/// A name, or an IPv4 address: a host whose last label is a number must be one.
bool is_name(std::string_view text) {
  std::string_view last;
  while (true) {
    const std::size_t dot = text.find('.');
    last = text.substr(0, dot);
    if (last.empty() || last.size() > kMostLabel) return false;
    for (const char c : last) {
      if (!is_digit(c) && !is_letter(c) && c != '-' && c != '_') return false;
    }
    if (dot == std::string_view::npos) break;
    text.remove_prefix(dot + 1);
  }
  for (const char c : last) {
    if (!is_digit(c)) return true;
  }
  return false;
}

bool parse_port(std::string_view text, std::uint16_t& port) {
  std::uint32_t number = 0;
  if (text.size() > 5 || !parse_decimal(text, number) || number == 0 || number > 65535) {
    return false;
  }
  port = static_cast<std::uint16_t>(number);
  return true;
}

/// "host", "host:port", "[address]" or "[address]:port".
bool parse_authority(std::string_view text, Endpoint& endpoint) {
  std::string_view host;
  std::string_view rest;
  if (!text.empty() && text[0] == '[') {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
    if (!is_ipv6(host)) return false;
  } else {
    const std::size_t colon = text.find(':');
    host = text.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon);
    if (!is_name(host) && !is_ipv4(host)) return false;
  }
  if (host.size() > decltype(endpoint.host)::capacity()) return false;
  endpoint.host.clear();
  for (const char c : host) endpoint.host.append(lowered(c));  // names are the same in any case
  endpoint.port = default_port(endpoint.tls);
  if (rest.empty()) return true;
  return rest[0] == ':' && parse_port(rest.substr(1), endpoint.port);
}

void append_number(Text<140>& text, std::uint16_t number) {
  char digits[5];
  std::size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number = static_cast<std::uint16_t>(number / 10);
  } while (number != 0);
  while (count > 0) text.append(digits[--count]);
}

}  // namespace

bool is_host(std::string_view text) { return is_name(text) || is_ipv4(text) || is_ipv6(text); }

bool parse_url(std::string_view text, Url& url) {
  for (const char c : text) {
    // Printable ASCII alone: anything else belongs into percent signs. A backslash is a slash to
    // some, and "@" and "#" would be a user name and a fragment.
    if (c <= ' ' || c > '~' || c == '\\' || c == '#') return false;
  }
  for (const Scheme& scheme : kSchemes) {
    if (!same_ignoring_case(text.substr(0, scheme.prefix.size()), scheme.prefix)) continue;
    text.remove_prefix(scheme.prefix.size());
    const std::size_t slash = text.find_first_of("/?");
    Endpoint endpoint;
    endpoint.tls = scheme.tls;
    if (!parse_authority(text.substr(0, slash), endpoint)) return false;
    const std::string_view path =
        slash == std::string_view::npos ? std::string_view() : text.substr(slash);
    const bool rooted = !path.empty() && path[0] == '/';
    if (path.size() + (rooted ? 0 : 1) > decltype(url.path)::capacity()) return false;
    url.endpoint = endpoint;
    url.path.assign(rooted ? "" : "/");
    url.path.append(path);
    return true;
  }
  return false;
}

Text<140> host_of(const Endpoint& endpoint) {
  const bool brackets = endpoint.host.view().find(':') != std::string_view::npos;
  Text<140> host(brackets ? "[" : "");
  host.append(endpoint.host);
  if (brackets) host.append(']');
  if (endpoint.port != default_port(endpoint.tls)) {
    host.append(':');
    append_number(host, endpoint.port);
  }
  return host;
}

Text<300> path_at(const Url& server, std::string_view path) {
  std::string_view base = server.path.view();
  while (!base.empty() && base.back() == '/') base.remove_suffix(1);
  Text<300> whole(base);
  if (!whole.append(path)) whole.clear();
  return whole;
}

}  // namespace lobug
