#include "lobug_sockets/tcp_connection.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "lobug_sockets/socket_errors.h"

#if defined(ESP_PLATFORM)
#include <fcntl.h>
#include <lwip/netdb.h>
#include <lwip/sockets.h>
#include <sys/poll.h>
#include <unistd.h>
// Some of lwIP's headers define these as macros, which would rename our methods.
#undef close
#undef connect
#undef read
#undef write
#else
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0  // lwIP knows no signals
#endif

namespace lobug {
namespace {

static_assert(sizeof(sockaddr_in6) <= 32, "TcpConnection::Address is too small");

ConnectionFailure failure_of(int error) {
  switch (error) {
    case ECONNREFUSED:
      return ConnectionFailure::kRefused;
    case ECONNRESET:
    case EPIPE:
    case ECONNABORTED:
      return ConnectionFailure::kLost;
    default:
      // Unreachable hosts and networks, lost routes: no answer.
      return ConnectionFailure::kTimeout;
  }
}

bool make_ready(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL, 0);
  if (flags < 0 || ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return false;
  const int on = 1;
  // Audio frames are small and must not wait for each other. Without it all works, only later.
  (void)::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return true;
}

}  // namespace

void TcpConnection::open(const Endpoint& endpoint) {
  close();
  state_ = ConnectionState::kOpening;
  if (!look_up(endpoint)) {
    fail(ConnectionFailure::kUnknownHost);
    return;
  }
  try_next(ConnectionFailure::kUnknownHost);
}

bool TcpConnection::look_up(const Endpoint& endpoint) {
  next_address_ = 0;
  // Asking for a name is the one thing here that waits, so an answer that was of use is kept.
  // Not a Deadline: nobody looks at it while a connection lasts, perhaps for 25 days.
  const bool known = is_known_ && elapsed(known_since_, clocks_.now()) < kKnownMs &&
                     known_.host == endpoint.host.view() && known_.port == endpoint.port;
  if (known) return true;
  is_known_ = false;
  address_count_ = 0;
  if (endpoint.host.empty()) return false;
  std::array<char, 8> port{};
  (void)std::snprintf(port.data(), port.size(), "%u", static_cast<unsigned>(endpoint.port));
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(endpoint.host.c_str(), port.data(), &hints, &found) != 0) return false;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    if (address_count_ == addresses_.size()) break;
    Address& address = addresses_[address_count_];
    if (one->ai_addrlen > address.bytes.size()) continue;
    std::memcpy(address.bytes.data(), one->ai_addr, one->ai_addrlen);
    address.size = static_cast<std::uint32_t>(one->ai_addrlen);
    ++address_count_;
  }
  ::freeaddrinfo(found);
  known_ = endpoint;
  known_since_ = clocks_.now();
  is_known_ = address_count_ > 0;
  return is_known_;
}

void TcpConnection::try_next(ConnectionFailure last) {
  drop_socket();
  while (next_address_ < address_count_) {
    const Address& address = addresses_[next_address_++];
    sockaddr_in6 place{};  // the largest of the families we meet
    std::memcpy(&place, address.bytes.data(), address.size);
    const auto* target = reinterpret_cast<const sockaddr*>(&place);
    socket_ = ::socket(target->sa_family, SOCK_STREAM, 0);
    if (socket_ < 0) {
      last = ConnectionFailure::kTimeout;
      continue;
    }
    if (make_ready(socket_)) {
      connect_by_.set(clocks_.now(), connect_timeout_ms_);
      if (::connect(socket_, target, static_cast<socklen_t>(address.size)) == 0) {
        state_ = ConnectionState::kOpen;
        return;
      }
      if (errno == EINPROGRESS) return;
    }
    last = failure_of(errno);
    drop_socket();
  }
  fail(last);
}

ConnectionState TcpConnection::state() {
  if (state_ != ConnectionState::kOpening) return state_;
  pollfd watched{};
  watched.fd = socket_;
  watched.events = POLLOUT;
  const int ready = ::poll(&watched, 1, 0);
  if (ready > 0) {
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error == 0) {
      state_ = ConnectionState::kOpen;
    } else {
      try_next(failure_of(error));
    }
  } else if (connect_by_.due(clocks_.now())) {
    try_next(ConnectionFailure::kTimeout);
  }
  return state_;
}

std::size_t TcpConnection::read(MutableBytes into) {
  if (state_ != ConnectionState::kOpen || into.empty()) return 0;
  const auto count = ::recv(socket_, into.data(), into.size(), 0);
  if (count > 0) return static_cast<std::size_t>(count);
  if (count == 0 && !write_broken_) {
    close();
    at_end_ = true;
  } else if (count == 0 || !would_block(errno)) {
    fail(ConnectionFailure::kLost);
  }
  return 0;
}

std::size_t TcpConnection::write(Bytes from) {
  if (state_ != ConnectionState::kOpen || write_broken_ || from.empty()) return 0;
  const auto count = ::send(socket_, from.data(), from.size(), MSG_NOSIGNAL);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (would_block(errno)) return 0;
  // A server that refuses a request may answer and hang up before it has read the whole of it:
  // what has arrived is still to be read.
  unsigned char first = 0;
  if (::recv(socket_, &first, 1, MSG_PEEK) > 0) {
    write_broken_ = true;
  } else {
    fail(ConnectionFailure::kLost);
  }
  return 0;
}

void TcpConnection::close() {
  drop_socket();
  state_ = ConnectionState::kClosed;
  failure_ = ConnectionFailure::kNone;
  at_end_ = false;
  write_broken_ = false;
}

void TcpConnection::drop_socket() {
  if (socket_ >= 0) (void)::close(socket_);
  socket_ = -1;
}

void TcpConnection::fail(ConnectionFailure failure) {
  drop_socket();
  is_known_ = false;  // the server may be elsewhere by now
  state_ = ConnectionState::kFailed;
  failure_ = failure;
}

}  // namespace lobug
