// One HTTP/1.1 request at a time over a Connection, never waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/span.h"
#include "lobug/base/text.h"
#include "lobug/ports/connection.h"

namespace lobug {

enum class HttpFault : std::uint8_t {
  kNone, kConnection, kTimeout, kProtocol, kTooLarge, kStopped,
};

struct HttpRequest {
  std::string_view method;   ///< "GET", "POST"
  std::string_view path;     ///< with the query
  std::string_view token;    ///< sent as `Authorization: Bearer` unless empty
  std::string_view device_id;
  std::string_view client_id;
  std::string_view user_agent;
  std::string_view body;     ///< JSON; no body and no Content-Type when empty
};

/// Takes a body piece by piece, when it is too large for memory (a firmware).
class BodySink {
 public:
  virtual ~BodySink() = default;
  /// False: stop here (`HttpFault::kStopped`). `total` is 0 when the server did not say.
  virtual bool take(Bytes piece, std::uint32_t total) = 0;
};

class HttpClient {
 public:
  enum class State : std::uint8_t { kIdle, kBusy, kDone, kFailed };

  /// `buffer` holds the request on its way out, then the answer's head and body.
  HttpClient(Connection& connection, MutableBytes buffer);
  /// Everything is copied. False when the request does not fit or one is under way.
  bool start(const Endpoint& endpoint, const HttpRequest& request, Millis now, Millis timeout_ms,
             BodySink* sink = nullptr);
  State step(Millis now);
  void stop();

  State state() const;
  HttpFault fault() const;
  ConnectionFailure connection_failure() const;
  int status() const;
  /// The whole body, when there was no sink (or the status is not 200); valid until `start`.
  std::string_view body() const;
  /// Value of `Retry-After` in seconds, 0 when there was none.
  std::uint32_t retry_after_s() const;

 private:
  Connection& connection_;
  MutableBytes buffer_;
};

}  // namespace lobug
