#include "lobug/net/http_client.h"

#include "lobug/net/url.h"

namespace lobug {
namespace {

constexpr std::size_t kReadBytes = 512;  // of stack
constexpr int kReadsPerStep = 16;

}  // namespace

HttpClient::HttpClient(Connection& connection, MutableBytes buffer)
    : connection_(connection), buffer_(buffer) {}

bool HttpClient::start(const Endpoint& endpoint, const HttpRequest& request, Millis now,
                       Millis timeout_ms, BodySink* sink) {
  if (state_ == State::kBusy) return false;
  state_ = State::kIdle;
  fault_ = HttpFault::kNone;
  connection_failure_ = ConnectionFailure::kNone;
  response_.start(buffer_, sink);
  request_size_ = write_request(endpoint, request);
  if (request_size_ == 0) return false;
  sent_ = 0;
  answering_ = false;
  deadline_.set(now, timeout_ms);
  state_ = State::kBusy;
  connection_.open(endpoint);
  return true;
}

std::size_t HttpClient::write_request(const Endpoint& endpoint, const HttpRequest& request) {
  if (!is_host(endpoint.host)) return 0;
  HeadWriter head(buffer_);
  head.request_line(request.method, request.path);
  head.field("Host", host_of(endpoint));
  head.field("Connection", "close");
  head.field("User-Agent", request.user_agent);
  head.field("Authorization", request.token.empty() ? "" : "Bearer ", request.token);
  head.field("Device-Id", request.device_id);
  head.field("Client-Id", request.client_id);
  if (!request.body.empty()) head.field("Content-Type", "application/json");
  if (!request.body.empty() || request.method != "GET") {
    head.number_field("Content-Length", static_cast<std::uint32_t>(request.body.size()));
  }
  head.end(request.body);
  return head.size();
}

HttpClient::State HttpClient::step(Millis now) {
  if (state_ != State::kBusy) return state_;
  if (deadline_.due(now)) return fail(HttpFault::kTimeout);
  switch (connection_.state()) {
    case ConnectionState::kOpening:
      break;
    case ConnectionState::kOpen:
      exchange();
      break;
    case ConnectionState::kClosed:
      response_.end();
      finish();
      break;
    case ConnectionState::kFailed:
      return fail(HttpFault::kConnection, connection_.failure());
  }
  return state_;
}

void HttpClient::exchange() {
  if (!answering_ && sent_ < request_size_) {
    sent_ += connection_.write(buffer_.first(request_size_).drop(sent_));
  }
  for (int i = 0; i < kReadsPerStep && state_ == State::kBusy; ++i) {
    unsigned char bytes[kReadBytes];
    const std::size_t count = connection_.read(bytes);
    if (count == 0) return;
    // A server may refuse before it has heard everything: what it says then is the answer.
    answering_ = true;
    if (response_.feed(Bytes(bytes, count)) != HttpResponse::Progress::kMore) finish();
  }
}

void HttpClient::finish() {
  if (response_.progress() == HttpResponse::Progress::kDone) {
    connection_.close();
    deadline_.clear();
    state_ = State::kDone;
    return;
  }
  const bool lost = response_.fault() == HttpFault::kConnection;
  fail(response_.fault(), lost ? ConnectionFailure::kLost : ConnectionFailure::kNone);
}

HttpClient::State HttpClient::fail(HttpFault fault, ConnectionFailure failure) {
  connection_.close();
  deadline_.clear();
  fault_ = fault;
  connection_failure_ = failure;
  state_ = State::kFailed;
  return state_;
}

void HttpClient::stop() {
  if (state_ != State::kBusy) return;
  connection_.close();
  deadline_.clear();
  state_ = State::kIdle;
}

std::string_view HttpClient::body() const {
  return state_ == State::kDone ? response_.body() : std::string_view();
}

}  // namespace lobug
