#include "lobug/net/websocket_frame.h"

namespace lobug {
namespace {

constexpr unsigned kLastBit = 0x80;
constexpr unsigned kReservedBits = 0x70;
constexpr unsigned kOpcodeBits = 0x0F;
constexpr unsigned kMaskBit = 0x80;
constexpr unsigned kLengthBits = 0x7F;

constexpr std::size_t kMostShort = 125;  // a length in the second byte itself
constexpr std::size_t kMost16 = 65535;
constexpr unsigned kLength16 = 126;  // two bytes of length follow
constexpr unsigned kLength64 = 127;  // eight do

bool parse_opcode(unsigned bits, Opcode& opcode) {
  switch (bits) {
    case 0x0:
    case 0x1:
    case 0x2:
    case 0x8:
    case 0x9:
    case 0xA:
      opcode = static_cast<Opcode>(bits);
      return true;
    default:
      return false;
  }
}

/// Of a client's frame, with the mask.
std::size_t client_header_size(std::size_t payload) {
  const std::size_t length_bytes = payload <= kMostShort ? 0 : payload <= kMost16 ? 2 : 8;
  return 2 + length_bytes + kMaskBytes;
}

}  // namespace

FrameStep parse_frame_header(Bytes bytes, FrameHeader& header) {
  if (bytes.empty()) return FrameStep::kMore;
  if ((bytes[0] & kReservedBits) != 0) return FrameStep::kBroken;
  if (!parse_opcode(bytes[0] & kOpcodeBits, header.opcode)) return FrameStep::kBroken;
  header.last = (bytes[0] & kLastBit) != 0;
  if (is_control(header.opcode) && !header.last) return FrameStep::kBroken;

  if (bytes.size() < 2) return FrameStep::kMore;
  if ((bytes[1] & kMaskBit) != 0) return FrameStep::kBroken;
  const unsigned length = bytes[1] & kLengthBits;
  if (is_control(header.opcode) && length > kMostControlBytes) return FrameStep::kBroken;
  const std::size_t length_bytes = length == kLength16 ? 2 : length == kLength64 ? 8 : 0;
  header.size = 2 + length_bytes;
  header.length = length;
  if (length_bytes == 0) return FrameStep::kFrame;

  if (length_bytes == 8 && bytes.size() > 2 && (bytes[2] & 0x80U) != 0) return FrameStep::kBroken;
  if (bytes.size() < header.size) return FrameStep::kMore;
  header.length = 0;
  for (std::size_t i = 2; i < header.size; ++i) header.length = header.length << 8U | bytes[i];
  const bool short_way = header.length <= (length_bytes == 2 ? kMostShort : kMost16);
  return short_way ? FrameStep::kBroken : FrameStep::kFrame;
}

std::size_t client_frame_size(std::size_t payload) { return client_header_size(payload) + payload; }

std::size_t client_payload_size(std::size_t frame) {
  // Where a longer header begins, one byte more of frame is two or six bytes less of payload.
  if (frame >= client_frame_size(kMost16 + 1)) return frame - client_header_size(kMost16 + 1);
  if (frame >= client_frame_size(kMost16)) return kMost16;
  if (frame >= client_frame_size(kMostShort + 1)) return frame - client_header_size(kMostShort + 1);
  if (frame >= client_frame_size(kMostShort)) return kMostShort;
  return frame > client_header_size(0) ? frame - client_header_size(0) : 0;
}

void write_client_frame(Opcode opcode, Bytes payload, std::uint32_t mask, unsigned char* out) {
  const std::size_t header = client_header_size(payload.size());
  const std::size_t length_bytes = header - 2 - kMaskBytes;
  const unsigned length = length_bytes == 0   ? static_cast<unsigned>(payload.size())
                          : length_bytes == 2 ? kLength16
                                              : kLength64;
  *out++ = static_cast<unsigned char>(kLastBit | static_cast<unsigned>(opcode));
  *out++ = static_cast<unsigned char>(kMaskBit | length);
  for (std::size_t left = length_bytes; left > 0; --left) {
    *out++ = static_cast<unsigned char>(std::uint64_t{payload.size()} >> (8 * (left - 1)));
  }
  const unsigned char* key = out;
  for (std::size_t i = 0; i < kMaskBytes; ++i) {
    *out++ = static_cast<unsigned char>(mask >> (8 * i));
  }
  for (std::size_t i = 0; i < payload.size(); ++i) {
    *out++ = static_cast<unsigned char>(payload[i] ^ key[i % kMaskBytes]);
  }
}

bool is_close_code(std::uint16_t code) {
  if (code >= 3000) return code <= 4999;  // of libraries and applications
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
}

}  // namespace lobug
