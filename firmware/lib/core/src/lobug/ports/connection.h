// A stream of bytes to a server: TCP, or TLS over it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lobug/base/span.h"
#include "lobug/base/text.h"

namespace lobug {

/// Where to connect.
struct Endpoint {
  Text<128> host;
  std::uint16_t port = 80;
  bool tls = false;
  /// TLS whose certificate may be out of date, as far as our clock can tell; all else is verified.
  /// For asking what time it is, and for nothing that is secret.
  bool any_date = false;
};

enum class ConnectionState : std::uint8_t { kClosed, kOpening, kOpen, kFailed };

/// Why a connection failed, as far as it is worth telling the owner apart.
enum class ConnectionFailure : std::uint8_t {
  kNone,
  kUnknownHost,  ///< the name was not found
  kRefused,      ///< the host answered that nothing listens there
  kTimeout,      ///< no answer
  kUntrusted,    ///< the TLS certificate is not of the pinned CA or not for this host
  kLost,         ///< it was open and broke
  kOutdated,     ///< all is well with the certificate but its dates, or our clock is not set
  kNoCa,         ///< TLS was asked for and no CA is pinned: refused, never silently insecure
};

/// Nothing here waits: each call does what can be done now. Used by one thread.
class Connection {
 public:
  virtual ~Connection() = default;
  /// Begin to connect; closes what was open. Looking up a name may wait for the network's answer.
  virtual void open(const Endpoint& endpoint) = 0;
  /// Drives the opening on. kFailed stays until `open` or `close`.
  virtual ConnectionState state() = 0;
  virtual ConnectionFailure failure() const = 0;
  /// Bytes that have arrived, 0 when none are there now. After the other side closed and all was
  /// read, `state` is kClosed (orderly) or kFailed.
  virtual std::size_t read(MutableBytes into) = 0;
  /// How many of the bytes were taken; the rest is to be offered again.
  virtual std::size_t write(Bytes from) = 0;
  virtual void close() = 0;
};

}  // namespace lobug
