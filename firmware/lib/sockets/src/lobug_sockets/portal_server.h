// The captive portal on the wire: a small web server and a DNS server, while the device is set up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/span.h"
#include "lobug/base/text.h"
#include "lobug/ports/store.h"
#include "lobug/setup/portal.h"
#include "lobug/setup/settings.h"

namespace lobug {

/// One request at a time, over plain sockets and with bounds on everything: Arduino's WebServer
/// takes bodies of any length into memory, and waits for them. Nothing in here waits. 13 KB large.
class PortalServer {
 public:
  /// For a request and its answer.
  static constexpr Millis kRequestMs = 5000;
  /// Until a request begins (browsers open connections ahead of need), and for the client to hang
  /// up once it was answered.
  static constexpr Millis kPauseMs = 1000;

  explicit PortalServer(Store& store) : store_(store) {}
  ~PortalServer() { end(); }
  PortalServer(const PortalServer&) = delete;
  PortalServer& operator=(const PortalServer&) = delete;

  /// Listens at `address` alone: in another network that the device may be in there is no portal.
  /// False when the sockets cannot be had. Ports other than 80 and 53 are for tests.
  bool begin(const std::uint8_t address[4], std::uint16_t web_port = 80,
             std::uint16_t dns_port = 53);
  void end();
  bool is_open() const { return web_ >= 0; }
  /// Names of networks for the page, one on each line.
  void set_networks(std::string_view names) { networks_ = Text<1024>(names); }
  /// Does what can be done at once. A client that is silent holds up the others for `kPauseMs` at
  /// most, one that is slow for `kRequestMs`.
  void step(Millis now);
  /// True once after settings were saved.
  bool take_saved();

 private:
  enum class Answer : std::uint8_t { kPage, kSaved, kRedirect, kRefused };
  enum class Phase : std::uint8_t { kReading, kSending, kLeaving };

  void answer_names();
  bool answer_name();
  void take_client(Millis now);
  void read_request(Millis now);
  void handle(std::string_view head, std::string_view body);
  Answer take_form(std::string_view body);
  void begin_answer(Answer answer);
  void send_on(Millis now);
  bool next_piece();
  void leave();
  void drop_client();

  Store& store_;
  int web_ = -1;
  int dns_ = -1;
  int client_ = -1;
  Text<32> origin_;  // "http://192.168.4.1"
  std::array<std::uint8_t, 4> address_{};
  Deadline give_up_;
  Phase phase_ = Phase::kReading;
  bool saved_ = false;

  Settings settings_;
  Text<1024> networks_;
  Phrase error_ = Phrase::kNone;
  std::array<char, 8192> request_{};  // a CA of 2 KB, each character encoded as three
  std::size_t size_ = 0;
  Answer answer_ = Answer::kPage;
  bool without_body_ = false;  // HEAD was asked for
  unsigned part_ = 0;
  std::array<char, kPortalPiece> piece_{};
  std::size_t piece_size_ = 0;
  std::size_t piece_sent_ = 0;
  std::array<unsigned char, 513> query_{};  // more than 512 bytes are no query
};

}  // namespace lobug
