// Wi-Fi over the serial line for programs, such as the page that flashes: the Improv protocol
// (https://www.improv-wifi.com/serial/), beside the console on the same line.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/text.h"
#include "lobug/device/screen_link.h"
#include "lobug/ports/serial.h"
#include "lobug/ports/wifi.h"
#include "lobug/setup/console.h"
#include "lobug/setup/improv_packet.h"

namespace lobug {

/// Answers commands: state, device information, networks, Wi-Fi settings. Whoever holds the cable
/// is authorized, as on the console. Why joining failed is printed as a line before the error, for
/// which the protocol has one number only.
class Improv {
 public:
  /// Joining takes longer only where it fails.
  static constexpr Millis kJoinMs = 40000;
  /// Looking for networks takes two to four seconds.
  static constexpr Millis kLookMs = 10000;

  Improv(Console& console, Wifi& wifi, SerialOutput& out)
      : console_(console), wifi_(wifi), out_(out) {}
  /// `board` as in System; `name` is what people see of the device: "Lo-Bug-1A2B".
  void begin(std::string_view board, std::string_view name);

  /// A packet came in.
  void take(std::uint8_t type, Bytes data, const View& view, Millis now);
  /// A packet with a wrong checksum came in.
  void refuse();
  /// Tells how joining and looking go on.
  void step(Millis now);

 private:
  void join(Bytes data, Millis now);
  void step_join(Millis now);
  void fail(std::string_view why, std::uint8_t error);
  void send_state();
  void send_error(std::uint8_t error);
  void send_url(std::uint8_t command);
  void send_networks();

  Console& console_;
  Wifi& wifi_;
  SerialOutput& out_;
  Text<32> board_;
  Text<32> name_;
  Deadline join_until_;  ///< set while settings that were sent are tried
  Deadline look_until_;  ///< set while somebody waits for networks
};

/// The whole serial line: what is typed goes to the console, packets to Improv.
/// Too large for a stack: about 6 KB.
class SerialLine {
 public:
  SerialLine(Store& store, Queue<Input, 16>& inputs, Wifi& wifi, SerialOutput& out)
      : wifi_(wifi), out_(out), console_(store, inputs), improv_(console_, wifi, out) {}
  void begin(std::string_view board, std::string_view name) { improv_.begin(board, name); }
  void feed(char byte, const View& view, Millis now);
  /// To be called in each round.
  void step(const View& view, Millis now);

 private:
  Wifi& wifi_;
  SerialOutput& out_;
  Console console_;
  Improv improv_;
  ImprovReader reader_;
};

}  // namespace lobug
