#include "lobug/device/enrolment.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace lobug {
namespace {

constexpr std::string_view kDiscoveryPath = "/xiaozhi/ota/";
constexpr std::string_view kTimePath = "/health";  // any answer will do: all have a Date

// How long a code is valid if the server does not say; its own value counts within bounds.
constexpr Millis kCodeMs = 600000;
constexpr Millis kLeastCodeMs = 10000;
constexpr Millis kMostCodeMs = 3600000;

/// 128 random bits, hexadecimal.
Text<32> new_nonce(Random& random) {
  Text<32> text;
  for (int word = 0; word < 4; ++word) {
    const std::uint32_t bits = random.next();
    for (unsigned shift = 0; shift < 32; shift += 4) {
      text.append("0123456789abcdef"[bits >> shift & 0xFU]);
    }
  }
  return text;
}

}  // namespace

Trouble trouble_of(ConnectionFailure failure) {
  switch (failure) {
    case ConnectionFailure::kUntrusted:
      return Trouble::kUntrusted;
    case ConnectionFailure::kOutdated:
      return Trouble::kOutdated;
    case ConnectionFailure::kNoCa:
      return Trouble::kNoCa;
    case ConnectionFailure::kLost:
      return Trouble::kServerGone;
    default:
      return Trouble::kNoServer;
  }
}

Enrolment::Enrolment(HttpClient& http, ServerFinder& finder, WallClock& clock, Random& random)
    : http_(http), finder_(finder), clock_(clock), random_(random) {}

void Enrolment::start(std::string_view server, Millis now) {
  http_.stop();
  asking_ = false;
  asked_time_ = false;
  retry_after_s_ = 0;
  trouble_ = Trouble::kNone;
  clear(discovery_);
  if (server.empty()) {
    finder_.start();
    search_until_.set(now, kSearchMs);
    phase_ = Phase::kSearching;
    return;
  }
  if (!server_.assign(server) || !parse_url(server, url_)) {
    fail(Trouble::kNoServer);
    return;
  }
  phase_ = url_.endpoint.tls && !clock_.known() ? Phase::kAskingTime : Phase::kAsking;
}

void Enrolment::stop() {
  http_.stop();
  phase_ = Phase::kIdle;
}

void Enrolment::step(const Introduction& who, Millis now) {
  switch (phase_) {
    case Phase::kSearching: {
      std::array<char, 96> host{};
      std::uint16_t port = 0;
      const auto search = finder_.poll(host.data(), static_cast<unsigned>(host.size()), port);
      if (search == ServerFinder::Search::kFound) {
        std::array<char, 128> address{};
        std::snprintf(address.data(), address.size(), "http://%s:%u", host.data(),
                      static_cast<unsigned>(port));
        start(address.data(), now);
      } else if (search == ServerFinder::Search::kNone || search_until_.due(now)) {
        fail(Trouble::kNoServer);
      }
      break;
    }
    case Phase::kAskingTime:
      ask_time(who, now);
      break;
    case Phase::kAsking:
      ask(who, now);
      break;
    case Phase::kPairing:
      poll(who, now);
      break;
    default:
      break;
  }
}

bool Enrolment::request(std::string_view method, std::string_view action, const Introduction& who,
                        Millis now) {
  Text<40> ours(kDiscoveryPath);
  ours.append(action);
  const Text<300> path = path_at(url_, ours);
  const std::size_t length =
      write_description(Span<char>(body_.data(), body_.size()),
                        DeviceDescription{who.device_id, who.client_id, who.board, who.version, 0,
                                          who.free_memory, update_nonce_});
  HttpRequest request;
  request.method = method;
  request.path = path;
  request.device_id = who.device_id;
  request.client_id = who.client_id;
  request.user_agent = who.board;
  request.body = std::string_view(body_.data(), length);
  return !path.empty() && length > 0 && http_.start(url_.endpoint, request, now, kRequestMs);
}

// Chain and name of the certificate are verified, its dates are not: whoever answers has, or had, a
// certificate of the owner's CA. Nothing is said to it that is secret, and the next connection
// verifies the dates by the time that it told.
void Enrolment::ask_time(const Introduction& who, Millis now) {
  if (!asking_) {
    Endpoint endpoint = url_.endpoint;
    endpoint.any_date = true;
    const Text<300> path = path_at(url_, kTimePath);
    HttpRequest request;
    request.method = "GET";
    request.path = path;
    request.user_agent = who.board;
    asking_ = !path.empty() && http_.start(endpoint, request, now, kRequestMs);
    asked_time_ = true;
    if (!asking_) fail(Trouble::kNoServer);
    return;
  }
  const HttpClient::State state = http_.step(now);
  if (state == HttpClient::State::kBusy) return;
  asking_ = false;
  if (state == HttpClient::State::kFailed && http_.date() == 0) {
    fail_by_http();
    return;
  }
  bool was_wrong = false;
  if (!clock_.suggested(http_.date(), was_wrong)) {
    fail(Trouble::kOutdated);
    return;
  }
  clock_was_wrong_ = clock_was_wrong_ || was_wrong;
  phase_ = Phase::kAsking;
}

bool Enrolment::may_ask_time() const { return !asked_time_ && !clock_.confirmed(); }

bool Enrolment::take_clock_was_wrong() {
  const bool was_wrong = clock_was_wrong_;
  clock_was_wrong_ = false;
  return was_wrong;
}

void Enrolment::ask(const Introduction& who, Millis now) {
  if (!asking_) {
    update_nonce_ = new_nonce(random_);
    asking_ = request("POST", "", who, now);
    if (!asking_) fail(Trouble::kNoServer);
    return;
  }
  const HttpClient::State state = http_.step(now);
  if (state == HttpClient::State::kFailed) {
    fail_by_http();
  } else if (state == HttpClient::State::kDone) {
    asking_ = false;
    answered(now);
  }
}

void Enrolment::answered(Millis now) {
  if (http_.status() != 200) {
    retry_after_s_ = http_.retry_after_s();
    const int status = http_.status();
    fail(status == 401 || status == 403   ? Trouble::kRefused
         : status == 429 || status == 503 ? Trouble::kServerFull
                                          : Trouble::kNoServer);
    return;
  }
  read_discovery(http_.body(), discovery_);
  if (!discovery_.ok) {
    fail(Trouble::kNoServer);
  } else if (!discovery_.code.empty()) {
    phase_ = Phase::kPairing;
    next_poll_.set(now, kPollMs);
    const Millis good_for = discovery_.timeout_ms > 0 ? discovery_.timeout_ms : kCodeMs;
    code_until_.set(now, std::clamp(good_for, kLeastCodeMs, kMostCodeMs));
  } else if (discovery_.websocket_url.empty()) {
    fail(Trouble::kRefused);
  } else {
    phase_ = Phase::kAccepted;
  }
}

void Enrolment::poll(const Introduction& who, Millis now) {
  if (!asking_) {
    if (code_until_.due(now)) {
      phase_ = Phase::kAsking;  // the code is stale: ask for a new one
    } else if (next_poll_.due(now)) {
      asking_ = request("POST", "activate", who, now);
      next_poll_.set(now, kPollMs);
    }
    return;
  }
  const HttpClient::State state = http_.step(now);
  if (state == HttpClient::State::kBusy) return;
  asking_ = false;
  // After a failed poll the code stays on the screen: the next poll may succeed.
  if (state == HttpClient::State::kDone && http_.status() == 200) phase_ = Phase::kAsking;
  next_poll_.set(now, http_.retry_after_s() > 0 ? http_.retry_after_s() * 1000 : kPollMs);
}

void Enrolment::fail(Trouble trouble) {
  http_.stop();
  asking_ = false;
  trouble_ = trouble;
  phase_ = Phase::kFailed;
}

void Enrolment::fail_by_http() {
  // The dates alone: our own clock may be what is wrong.
  if (http_.connection_failure() == ConnectionFailure::kOutdated && may_ask_time()) {
    http_.stop();
    asking_ = false;
    phase_ = Phase::kAskingTime;
    return;
  }
  fail(trouble_of(http_.connection_failure()));
}

}  // namespace lobug
