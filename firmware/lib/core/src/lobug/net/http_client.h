// One HTTP/1.1 request at a time over a Connection, never waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/span.h"
#include "lobug/net/http_response.h"
#include "lobug/ports/connection.h"

namespace lobug {

/// Printable ASCII everywhere but in the body.
struct HttpRequest {
  std::string_view method;  ///< "GET", "POST"
  std::string_view path;    ///< with the query
  std::string_view token;   ///< sent as `Authorization: Bearer` unless empty
  std::string_view device_id;
  std::string_view client_id;
  std::string_view user_agent;
  std::string_view body;  ///< JSON; no body and no Content-Type when empty
};

class HttpClient {
 public:
  enum class State : std::uint8_t { kIdle, kBusy, kDone, kFailed };

  /// `buffer` holds the request on its way out, then the answer's head and body.
  HttpClient(Connection& connection, MutableBytes buffer);
  /// Everything is copied. False, and nothing is changed, when a request is under way; false, and
  /// idle, when this one does not fit or something in it cannot be sent (a line break in the
  /// token). `timeout_ms` is for the whole exchange, at most 24 days.
  bool start(const Endpoint& endpoint, const HttpRequest& request, Millis now, Millis timeout_ms,
             BodySink* sink = nullptr);
  /// Reads at most 8 KiB, so that a fast server does not block the thread.
  State step(Millis now);
  /// Cancels the request that is under way: back to idle. A finished one stays as it is.
  void stop();

  State state() const { return state_; }
  HttpFault fault() const { return fault_; }
  ConnectionFailure connection_failure() const { return connection_failure_; }
  /// 0 until it is known; a failed request may have one.
  int status() const { return response_.status(); }
  /// The whole body, when there was no sink (or the status is not 200); valid until `start`.
  std::string_view body() const;
  /// Value of `Retry-After` in seconds (at most a day), 0 when there was none.
  std::uint32_t retry_after_s() const { return response_.retry_after_s(); }
  /// Value of `Date`, seconds since 1970; 0 when there was none.
  std::int64_t date() const { return response_.date(); }

 private:
  std::size_t write_request(const Endpoint& endpoint, const HttpRequest& request);
  void exchange();
  void finish();
  State fail(HttpFault fault, ConnectionFailure failure = ConnectionFailure::kNone);

  Connection& connection_;
  MutableBytes buffer_;
  HttpResponse response_;
  Deadline deadline_;
  State state_ = State::kIdle;
  HttpFault fault_ = HttpFault::kNone;
  ConnectionFailure connection_failure_ = ConnectionFailure::kNone;
  std::size_t request_size_ = 0;
  std::size_t sent_ = 0;
  bool answering_ = false;  ///< the buffer belongs to the answer
};

}  // namespace lobug
