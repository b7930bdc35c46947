// The frames of RFC 6455 (5.2): their headers as values, and masks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lobug/base/span.h"

namespace lobug {

enum class Opcode : std::uint8_t {
  kContinuation = 0x0,
  kText = 0x1,
  kBinary = 0x2,
  kClose = 0x8,
  kPing = 0x9,
  kPong = 0xA,
};

constexpr bool is_control(Opcode opcode) { return static_cast<std::uint8_t>(opcode) >= 0x8; }

/// Of a control frame's payload.
constexpr std::size_t kMostControlBytes = 125;
constexpr std::size_t kMaskBytes = 4;
/// Of a header that a server sends, which has no mask.
constexpr std::size_t kMostServerHeader = 10;

struct FrameHeader {
  Opcode opcode = Opcode::kContinuation;
  bool last = true;          ///< no continuation follows
  std::uint64_t length = 0;  ///< of the payload
  std::size_t size = 0;      ///< of the header itself
};

enum class FrameStep : std::uint8_t { kMore, kFrame, kBroken };

/// The header at the beginning of what a server sent. kBroken: reserved bits, an unknown opcode, a
/// mask, a control frame that is too long or not the last, a length that is not written the short
/// way. What is wrong is found as soon as its byte is there.
FrameStep parse_frame_header(Bytes bytes, FrameHeader& header);

/// Bytes of a client's whole frame with so much payload.
std::size_t client_frame_size(std::size_t payload);
/// The most payload of a client's frame that is no longer than `frame` bytes.
std::size_t client_payload_size(std::size_t frame);
/// Writes a client's whole, masked frame. `out` has room for it: `client_frame_size`.
void write_client_frame(Opcode opcode, Bytes payload, std::uint32_t mask, unsigned char* out);

/// The codes that may stand in a close frame (7.4, and IANA's registry).
bool is_close_code(std::uint16_t code);

}  // namespace lobug
