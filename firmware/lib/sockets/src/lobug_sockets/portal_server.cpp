#include "lobug_sockets/portal_server.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "lobug/net/http_syntax.h"
#include "lobug_sockets/socket_errors.h"

#if defined(ESP_PLATFORM)
#include <fcntl.h>
#include <lwip/sockets.h>
#include <unistd.h>
// Some of lwIP's headers define these as macros.
#undef accept
#undef bind
#undef close
#undef read
#undef write
#else
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0  // lwIP knows no signals
#endif

namespace lobug {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::string_view kScheme = "http://";
constexpr std::uint16_t kHttpPort = 80;
/// A phone that has just joined asks for many names at once; the web page waits meanwhile.
constexpr int kMostNames = 8;

bool make_patient(int socket) {
  const int flags = ::fcntl(socket, F_GETFL, 0);
  return flags >= 0 && ::fcntl(socket, F_SETFL, flags | O_NONBLOCK) >= 0;
}

int open_socket(int type, const std::array<std::uint8_t, 4>& address, std::uint16_t port) {
  const int made = ::socket(AF_INET, type, 0);
  if (made < 0) return -1;
  const int on = 1;
  (void)::setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(port);
  std::memcpy(&here.sin_addr.s_addr, address.data(), address.size());
  const bool good = ::bind(made, reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0 &&
                    make_patient(made) && (type != SOCK_STREAM || ::listen(made, 2) == 0);
  if (good) return made;
  (void)::close(made);
  return -1;
}

/// A header's value without the spaces around it; empty when there is none.
std::string_view header(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;
       at = head.find("\r\n", at + 2)) {
    std::string_view line = head.substr(at + 2);
    line = line.substr(0, line.find("\r\n"));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (!same_ignoring_case(line.substr(0, colon), name)) continue;
    line.remove_prefix(colon + 1);
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    return line;
  }
  return {};
}

/// Of the body, bytes; larger than any request may be when it is not told, or by no number.
std::size_t body_length(std::string_view head) {
  const std::string_view text = header(head, "Content-Length");
  std::uint32_t number = 0;
  if (!header(head, "Transfer-Encoding").empty()) return static_cast<std::size_t>(-1);
  if (text.empty()) return 0;
  return parse_decimal(text, number) ? number : static_cast<std::size_t>(-1);
}

}  // namespace

bool PortalServer::begin(const std::uint8_t address[4], std::uint16_t web_port,
                         std::uint16_t dns_port) {
  end();
  std::memcpy(address_.data(), address, address_.size());
  char text[24];
  const auto part = [this](std::size_t n) { return static_cast<unsigned>(address_[n]); };
  (void)std::snprintf(text, sizeof text, "http://%u.%u.%u.%u", part(0), part(1), part(2), part(3));
  origin_ = Text<32>(text);
  if (web_port != kHttpPort) {
    (void)std::snprintf(text, sizeof text, ":%u", static_cast<unsigned>(web_port));
    (void)origin_.append(text);
  }
  saved_ = false;
  web_ = open_socket(SOCK_STREAM, address_, web_port);
  dns_ = open_socket(SOCK_DGRAM, address_, dns_port);
  if (web_ >= 0 && dns_ >= 0) return true;
  end();
  return false;
}

void PortalServer::end() {
  drop_client();
  if (web_ >= 0) (void)::close(web_);
  if (dns_ >= 0) (void)::close(dns_);
  web_ = dns_ = -1;
}

void PortalServer::step(Millis now) {
  if (!is_open()) return;
  answer_names();
  if (client_ < 0) take_client(now);
  if (client_ < 0) return;
  if (phase_ == Phase::kReading) read_request(now);
  if (phase_ == Phase::kSending) send_on(now);
  if (phase_ == Phase::kLeaving) leave();
  if (give_up_.due(now)) drop_client();
}

bool PortalServer::take_saved() {
  const bool saved = saved_;
  saved_ = false;
  return saved;
}

void PortalServer::answer_names() {
  int count = 0;
  while (count < kMostNames && answer_name()) ++count;
}

/// False when no datagram is there.
bool PortalServer::answer_name() {
  sockaddr_in from{};
  socklen_t from_size = sizeof from;
  const auto size = ::recvfrom(dns_, query_.data(), query_.size(), 0,
                               reinterpret_cast<sockaddr*>(&from), &from_size);
  if (size < 0) return false;
  std::array<unsigned char, 528> answer;
  const std::size_t reply_bytes = answer_dns({query_.data(), static_cast<std::size_t>(size)},
                                             address_.data(), {answer.data(), answer.size()});
  if (reply_bytes == 0) return true;
  (void)::sendto(dns_, answer.data(), reply_bytes, MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&from), from_size);
  return true;
}

void PortalServer::take_client(Millis now) {
  client_ = ::accept(web_, nullptr, nullptr);
  if (client_ < 0) return;
  size_ = 0;
  phase_ = Phase::kReading;
  give_up_.set(now, kPauseMs);
  if (!make_patient(client_)) drop_client();
}

void PortalServer::read_request(Millis now) {
  const auto got = ::recv(client_, request_.data() + size_, request_.size() - size_, 0);
  if (got < 0 && would_block(errno)) return;
  if (got <= 0) {
    drop_client();
    return;
  }
  if (size_ == 0) give_up_.set(now, kRequestMs);
  size_ += static_cast<std::size_t>(got);
  const std::string_view all(request_.data(), size_);
  const std::size_t head_end = all.find(kHeadEnd);
  if (head_end == std::string_view::npos) {
    if (size_ == request_.size()) begin_answer(Answer::kRefused);
    return;
  }
  const std::string_view head = all.substr(0, head_end);
  const std::string_view rest = all.substr(head_end + kHeadEnd.size());
  const std::size_t length = body_length(head);
  if (length > request_.size() - head_end - kHeadEnd.size()) {
    begin_answer(Answer::kRefused);
  } else if (rest.size() >= length) {
    handle(head, rest.substr(0, length));
  }
}

void PortalServer::handle(std::string_view head, std::string_view body) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t space = line.find(' ');
  const std::string_view method = line.substr(0, space);
  std::string_view path =
      space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
  path = path.substr(0, path.find(' '));
  const bool reads = method == "GET" || method == "HEAD";
  without_body_ = method == "HEAD";
  error_ = Phrase::kNone;
  if (!reads && method != "POST") {
    begin_answer(Answer::kRefused);
    return;
  }
  // What phones ask for to see whether there is the internet is answered with the way here. So is
  // the page at another host, which every name leads to: what it sends would be of another origin.
  const bool is_here = is_own_host(header(head, "Host"), origin_.view().substr(kScheme.size()));
  if (!is_here || (reads && path != "/")) {
    begin_answer(Answer::kRedirect);
    return;
  }
  load_settings(store_, settings_);
  // A phone may be in two networks at once: a page of the other one must not set this device.
  const std::string_view origin = header(head, "Origin");
  const bool may_set = path == "/" && (origin.empty() || origin == origin_.view());
  if (reads) {
    begin_answer(Answer::kPage);
  } else {
    begin_answer(may_set && !body.empty() ? take_form(body) : Answer::kRefused);
  }
}

PortalServer::Answer PortalServer::take_form(std::string_view body) {
  const SettingResult result = apply_form(settings_, body);
  if (result.ok && save_settings(store_, settings_)) {
    saved_ = true;
    return Answer::kSaved;
  }
  error_ = result.ok ? Phrase::kSettingsNotWritten : result.error;
  return Answer::kPage;
}

void PortalServer::begin_answer(Answer answer) {
  answer_ = answer;
  part_ = 0;
  phase_ = Phase::kSending;
  piece_sent_ = 0;
  int length = 0;
  switch (answer) {
    case Answer::kPage:
    case Answer::kSaved:
      length = std::snprintf(piece_.data(), piece_.size(),
                             "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                             "Cache-Control: no-store\r\nConnection: close\r\n\r\n");
      break;
    case Answer::kRedirect:
      length = std::snprintf(piece_.data(), piece_.size(),
                             "HTTP/1.1 302 Found\r\nLocation: %s/\r\nContent-Length: 0\r\n"
                             "Connection: close\r\n\r\n",
                             origin_.c_str());
      break;
    case Answer::kRefused:
      length = std::snprintf(piece_.data(), piece_.size(),
                             "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n"
                             "Connection: close\r\n\r\n");
      break;
  }
  piece_size_ = static_cast<std::size_t>(length);
}

void PortalServer::send_on(Millis now) {
  do {
    while (piece_sent_ < piece_size_) {
      const auto count =
          ::send(client_, piece_.data() + piece_sent_, piece_size_ - piece_sent_, MSG_NOSIGNAL);
      if (count < 0 && would_block(errno)) return;
      if (count <= 0) {
        drop_client();
        return;
      }
      piece_sent_ += static_cast<std::size_t>(count);
    }
  } while (next_piece());
  (void)::shutdown(client_, SHUT_WR);
  phase_ = Phase::kLeaving;
  give_up_.set(now, kPauseMs);
}

/// To close while something lies unread would take the answer back that is still on its way.
void PortalServer::leave() {
  const auto got = ::recv(client_, request_.data(), request_.size(), 0);
  if (got == 0 || (got < 0 && !would_block(errno))) drop_client();
}

bool PortalServer::next_piece() {
  const Span<char> into(piece_.data(), piece_.size());
  piece_sent_ = 0;
  piece_size_ = 0;
  if (without_body_) return false;
  if (answer_ == Answer::kPage) {
    piece_size_ = portal_page(part_, settings_, networks_, error_, into);
  } else if (answer_ == Answer::kSaved) {
    piece_size_ = portal_saved(part_, settings_.language, into);
  }
  ++part_;
  return piece_size_ > 0;
}

void PortalServer::drop_client() {
  if (client_ < 0) return;
  (void)::close(client_);
  client_ = -1;
  request_.fill('\0');  // it may hold a password
}

}  // namespace lobug
