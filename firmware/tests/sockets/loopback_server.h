// A listening socket on loopback that a test drives by hand, step by step, on its own thread.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace lobug {

class LoopbackServer {
 public:
  explicit LoopbackServer(int backlog = 4) : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    (void)::listen(listener_, backlog);
    socklen_t size = sizeof address;
    (void)::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~LoopbackServer() {
    hang_up();
    stop_listening();
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// Waits for a client, a second at most.
  bool accept() {
    pollfd watched{listener_, POLLIN, 0};
    if (::poll(&watched, 1, 1000) != 1) return false;
    peer_ = ::accept(listener_, nullptr, nullptr);
    return peer_ >= 0;
  }
  bool send(const std::string& text) {
    return ::send(peer_, text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }
  /// What arrives until `count` bytes are there; less when nothing comes for a second.
  std::string receive(std::size_t count) {
    std::string got;
    char piece[4096];
    while (got.size() < count) {
      pollfd watched{peer_, POLLIN, 0};
      if (::poll(&watched, 1, 1000) != 1) break;
      const auto size = ::recv(peer_, piece, sizeof piece, 0);
      if (size <= 0) break;
      got.append(piece, static_cast<std::size_t>(size));
    }
    return got;
  }
  void finish_sending() { (void)::shutdown(peer_, SHUT_WR); }
  void hang_up() {
    if (peer_ >= 0) (void)::close(peer_);
    peer_ = -1;
  }
  /// Hang up with a reset, as a machine that has lost its memory does.
  void reset() {
    const linger at_once{1, 0};
    (void)::setsockopt(peer_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    hang_up();
  }
  void stop_listening() {
    if (listener_ >= 0) (void)::close(listener_);
    listener_ = -1;
  }

 private:
  int listener_;
  int peer_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace lobug
