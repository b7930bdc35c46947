// Clients of a server that the test itself steps, on one thread: nothing in here waits.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>

namespace lobug {

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

/// The port of a socket of this process; 0 when it is no such thing or has none.
inline std::uint16_t local_port(int descriptor) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return address.sin_family == AF_INET ? ntohs(address.sin_port) : std::uint16_t{0};
}

/// A port that nobody had a moment ago.
inline std::uint16_t free_port(int type) {
  const int made = ::socket(AF_INET, type, 0);
  const sockaddr_in any = loopback(0);
  (void)::bind(made, reinterpret_cast<const sockaddr*>(&any), sizeof any);
  const std::uint16_t port = local_port(made);
  (void)::close(made);
  return port;
}

class LoopbackClient {
 public:
  /// `receive_bytes`: room of the system for what the client has not read; 0: as it likes.
  explicit LoopbackClient(std::uint16_t port, int type = SOCK_STREAM, int receive_bytes = 0)
      : socket_(::socket(AF_INET, type | SOCK_NONBLOCK, 0)) {
    if (receive_bytes > 0) {
      (void)::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    }
    const sockaddr_in address = loopback(port);
    const int result =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    connecting_ = result == 0 || errno == EINPROGRESS;
  }
  ~LoopbackClient() { hang_up(); }
  LoopbackClient(const LoopbackClient&) = delete;
  LoopbackClient& operator=(const LoopbackClient&) = delete;

  bool send(const std::string& text) {
    return connecting_ && ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) ==
                              static_cast<ssize_t>(text.size());
  }
  /// Takes at most `most` bytes of what has come.
  void take(std::size_t most = 65536) {
    char piece[4096];
    while (most > 0 && !ended_) {
      const auto size = ::recv(socket_, piece, most < sizeof piece ? most : sizeof piece, 0);
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (size <= 0) {
        ended_ = true;
        was_reset_ = size < 0;
        return;
      }
      received_.append(piece, static_cast<std::size_t>(size));
      most -= static_cast<std::size_t>(size);
    }
  }
  void finish_sending() { (void)::shutdown(socket_, SHUT_WR); }
  void hang_up() {
    if (socket_ >= 0) (void)::close(socket_);
    socket_ = -1;
    ended_ = true;
  }
  const std::string& received() const { return received_; }
  /// The server sends no more.
  bool ended() const { return ended_; }
  /// It ended with an error.
  bool was_reset() const { return was_reset_; }

 private:
  int socket_;
  bool connecting_ = false;
  bool ended_ = false;
  bool was_reset_ = false;
  std::string received_;
};

}  // namespace lobug
