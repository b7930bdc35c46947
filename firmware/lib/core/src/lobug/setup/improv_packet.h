// Packets of the Improv protocol (https://www.improv-wifi.com/serial/), version 1: found among what
// is typed on the serial line, and written.
//
//   IMPROV 01 TYPE LENGTH DATA... CHECKSUM    the checksum is the sum of all bytes before it
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/span.h"

namespace lobug {

enum class ImprovType : std::uint8_t { kState = 1, kError = 2, kCommand = 3, kResult = 4 };

/// Tells packets from typed characters. Fed byte by byte; never fails and never holds back more
/// than the six bytes that may begin a packet.
class ImprovReader {
 public:
  /// A packet whose next byte is so late never ends: somebody pulled the cable. What comes then is
  /// typed.
  static constexpr Millis kLateMs = 1000;

  enum class Found : std::uint8_t {
    kNothing,  ///< so far
    kText,     ///< `text` was typed
    kPacket,   ///< `type` and `data`
    kBroken,   ///< a packet with a wrong checksum
  };
  Found feed(char byte, Millis now);
  /// Until the next byte.
  std::string_view text() const { return {text_.data(), text_size_}; }
  std::uint8_t type() const { return type_; }
  Bytes data() const { return Bytes(data_.data(), length_); }

 private:
  enum class Part : std::uint8_t { kHeader, kType, kLength, kData, kChecksum };
  Found header(char byte);
  Found body(unsigned char byte);
  void begin();

  Part part_ = Part::kHeader;
  std::size_t matched_ = 0;  ///< bytes of the header
  std::size_t size_ = 0;     ///< bytes of the data that are there
  std::uint8_t type_ = 0;
  std::uint8_t length_ = 0;
  std::uint8_t sum_ = 0;
  bool after_packet_ = false;  ///< a line end right after it belongs to it
  Millis last_ = 0;
  std::size_t text_size_ = 0;
  std::array<char, 8> text_{};
  std::array<unsigned char, 255> data_{};
};

/// Makes one packet. What does not fit into its 255 bytes of data is left out.
class ImprovWriter {
 public:
  explicit ImprovWriter(ImprovType type);
  ImprovWriter& byte(std::uint8_t value);
  /// A string of a result: its length, then itself; UTF-8 is not cut in the middle of a character.
  ImprovWriter& string(std::string_view text);
  /// The packet with a line end, valid as long as the writer. For a result its own length is filled
  /// in, the second byte of the data.
  std::string_view finish();

 private:
  static constexpr std::size_t kHead = 9;
  static constexpr std::size_t kMostData = 255;
  std::size_t size_ = kHead;
  std::array<char, kHead + kMostData + 2> bytes_{};
};

}  // namespace lobug
