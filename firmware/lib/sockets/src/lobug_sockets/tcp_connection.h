// TCP over BSD sockets: lwIP on the chip, the system's on the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/ports/connection.h"
#include "lobug_sockets/clocks.h"

namespace lobug {

/// Non-blocking but for the look-up of a name: `open` waits for the answer of the network's name
/// server there (numeric addresses are not looked up; a name's are kept for five minutes, until a
/// connection fails). Every address of a name is tried in turn,
/// each for `connect_timeout_ms` at most.
class TcpConnection final : public Connection {
 public:
  explicit TcpConnection(const Clocks& clocks, Millis connect_timeout_ms = 5000)
      : clocks_(clocks), connect_timeout_ms_(connect_timeout_ms) {}
  ~TcpConnection() override { close(); }
  TcpConnection(const TcpConnection&) = delete;
  TcpConnection& operator=(const TcpConnection&) = delete;

  /// `endpoint.tls` is not looked at: see NetConnection.
  void open(const Endpoint& endpoint) override;
  ConnectionState state() override;
  ConnectionFailure failure() const override { return failure_; }
  std::size_t read(MutableBytes into) override;
  std::size_t write(Bytes from) override;
  void close() override;

  /// The last `read` found that the other side has closed orderly. By then `state` is kClosed.
  bool at_end() const { return at_end_; }

 private:
  /// A socket address, without the system's headers: these would bring macros named as our methods.
  struct Address {
    alignas(8) std::array<unsigned char, 32> bytes{};
    std::uint32_t size = 0;
  };
  static constexpr std::size_t kMostAddresses = 4;
  static constexpr Millis kKnownMs = 300000;

  bool look_up(const Endpoint& endpoint);
  void try_next(ConnectionFailure last);
  void drop_socket();
  void fail(ConnectionFailure failure);

  Clocks clocks_;
  Millis connect_timeout_ms_;
  std::array<Address, kMostAddresses> addresses_{};
  std::size_t address_count_ = 0;
  std::size_t next_address_ = 0;
  Endpoint known_;  ///< what `addresses_` are of,
  bool is_known_ = false;
  Millis known_since_ = 0;  ///< for `kKnownMs` they are believed
  Deadline connect_by_;
  int socket_ = -1;
  ConnectionState state_ = ConnectionState::kClosed;
  ConnectionFailure failure_ = ConnectionFailure::kNone;
  bool at_end_ = false;
  bool write_broken_ = false;  ///< the other side reads no more; what it sent may still be there
};

}  // namespace lobug
