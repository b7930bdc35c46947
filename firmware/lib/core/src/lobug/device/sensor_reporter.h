// Tells the server how the device is held and moved: over the open session, or, where the server
// does not take that, by `POST /context/sensors`.
#pragma once

#include <array>

#include "lobug/base/clock.h"
#include "lobug/device/identity.h"
#include "lobug/device/session.h"
#include "lobug/net/http_client.h"
#include "lobug/net/url.h"
#include "lobug/senses/motion.h"

namespace lobug {

/// Reports on a change and every 5 s, but at most twice a second.
class SensorReporter {
 public:
  static constexpr Millis kEveryMs = 5000;
  static constexpr Millis kLeastMs = 500;
  static constexpr Millis kRequestMs = 8000;

  SensorReporter(HttpClient& http, const Identity& identity) : http_(http), identity_(identity) {}

  /// Whether a request is under way, and so the HTTP connection in use.
  bool sending() const { return sending_; }
  /// Goes on with the request that is under way.
  void step(Millis now);
  /// The HTTP connection was closed.
  void stop() { sending_ = false; }

  /// Whether a report of `motion` is due; `least` is the shortest time between two.
  bool due(const Motion& motion, Millis now, Millis least) const;
  /// Over the open session. Where there was no room the report stays due.
  void send(Session& session, const Motion& motion, Millis now);
  /// By a request of its own.
  void post(const Url& server, const Motion& motion, Millis now);

 private:
  std::string_view write(const Motion& motion);
  void sent(const Motion& motion, Millis now);

  HttpClient& http_;
  const Identity& identity_;
  bool sending_ = false;
  Motion sent_;
  Millis sent_at_ = 0;
  bool begun_ = false;
  std::array<char, 512> body_{};
};

}  // namespace lobug
