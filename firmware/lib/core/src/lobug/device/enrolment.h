// Enrolment with the server: mDNS or a set address, discovery, the code on the screen.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/random.h"
#include "lobug/base/text.h"
#include "lobug/device/identity.h"
#include "lobug/device/state_machine.h"
#include "lobug/device/wall_clock.h"
#include "lobug/net/http_client.h"
#include "lobug/net/url.h"
#include "lobug/ports/system.h"
#include "lobug/protocol/messages.h"
#include "lobug/setup/settings.h"

namespace lobug {

/// Finds the server and gets the device accepted; `start` begins again after a failure.
class Enrolment {
 public:
  enum class Phase : std::uint8_t {
    kIdle,
    kSearching,   ///< mDNS
    kAskingTime,  ///< an https server, before its certificate's dates can be judged
    kAsking,      ///< discovery
    kPairing,     ///< the owner has to approve `code`
    kAccepted,    ///< `discovery` says where the session is
    kFailed,      ///< `trouble` says why
  };
  static constexpr Millis kRequestMs = 8000;
  static constexpr Millis kSearchMs = 6000;
  static constexpr Millis kPollMs = 3000;

  Enrolment(HttpClient& http, ServerFinder& finder, WallClock& clock, Random& random);

  /// `server`: the address that the owner set; empty: find it by mDNS.
  void start(std::string_view server, Millis now);
  void stop();
  void step(const Introduction& who, Millis now);

  Phase phase() const { return phase_; }
  Trouble trouble() const { return trouble_; }
  /// The last answer; complete in kAccepted.
  const Discovery& discovery() const { return discovery_; }
  /// What was drawn for the request that was answered so: an update's signature is of it, too.
  std::string_view update_nonce() const { return update_nonce_; }
  std::string_view code() const { return discovery_.code; }
  /// The server that answered, "http://192.168.1.5:8321".
  std::string_view server() const { return server_; }
  const Url& url() const { return url_; }
  /// The clock was wrong by more than a day and was set by this server; true once.
  bool take_clock_was_wrong();
  /// The server's Retry-After, seconds; 0 when it gave none.
  std::uint32_t retry_after_s() const { return retry_after_s_; }

 private:
  bool request(std::string_view method, std::string_view action, const Introduction& who,
               Millis now);
  void ask_time(const Introduction& who, Millis now);
  void ask(const Introduction& who, Millis now);
  void answered(Millis now);
  void poll(const Introduction& who, Millis now);
  void fail(Trouble trouble);
  void fail_by_http();
  bool may_ask_time() const;

  HttpClient& http_;
  ServerFinder& finder_;
  WallClock& clock_;
  Random& random_;
  Phase phase_ = Phase::kIdle;
  Trouble trouble_ = Trouble::kNone;
  bool asking_ = false;
  bool asked_time_ = false;  ///< of this server, since `start`
  bool clock_was_wrong_ = false;
  Discovery discovery_;
  Text<32> update_nonce_;
  Text<160> server_;
  Url url_;
  Deadline search_until_;
  Deadline next_poll_;
  Deadline code_until_;
  std::uint32_t retry_after_s_ = 0;
  std::array<char, 768> body_{};
};

/// The trouble that a failed connection is to the owner.
Trouble trouble_of(ConnectionFailure failure);

}  // namespace lobug
