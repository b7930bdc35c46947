// The server's side of a WebSocket, for tests: written without the code that is tested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/base/span.h"
#include "support/plain_crypto.h"

namespace lobug {

/// A server's frame with any first byte: opcode, 0x80 for the last, 0x70 for reserved bits.
inline std::string server_frame(unsigned first, std::string_view payload) {
  std::string frame(1, static_cast<char>(first));
  const std::uint64_t length = payload.size();
  int length_bytes = 0;
  if (length < 126) {
    frame += static_cast<char>(length);
  } else if (length < 65536) {
    frame += static_cast<char>(126);
    length_bytes = 2;
  } else {
    frame += static_cast<char>(127);
    length_bytes = 8;
  }
  for (int i = length_bytes - 1; i >= 0; --i) frame += static_cast<char>(length >> (8 * i));
  return frame.append(payload);
}
inline std::string text_frame(std::string_view text) { return server_frame(0x81, text); }
inline std::string binary_frame(std::string_view data) { return server_frame(0x82, data); }
inline std::string ping_frame(std::string_view data = "") { return server_frame(0x89, data); }
inline std::string pong_frame(std::string_view data = "") { return server_frame(0x8A, data); }
inline std::string close_frame(unsigned code, std::string_view reason = "") {
  std::string payload;
  payload += static_cast<char>(code >> 8U);
  payload += static_cast<char>(code);
  return server_frame(0x88, payload.append(reason));
}

struct ClientFrame {
  unsigned opcode = 0;
  bool last = false;
  bool masked = false;
  std::uint32_t mask = 0;
  std::string payload;  ///< without the mask

  unsigned close_code() const {
    if (payload.size() < 2) return 1005;
    return static_cast<unsigned>(static_cast<unsigned char>(payload[0]) << 8U |
                                 static_cast<unsigned char>(payload[1]));
  }
};

/// The whole frames at the beginning of `bytes`, which loses them.
inline std::vector<ClientFrame> take_client_frames(std::string& bytes) {
  std::vector<ClientFrame> frames;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  while (bytes.size() >= 2) {
    ClientFrame frame;
    frame.last = (byte(0) & 0x80U) != 0;
    frame.opcode = byte(0) & 0x7FU;  // with the reserved bits, which must not be set
    frame.masked = (byte(1) & 0x80U) != 0;
    std::uint64_t length = byte(1) & 0x7FU;
    const std::size_t length_bytes = length == 126 ? 2 : length == 127 ? 8 : 0;
    const std::size_t header = 2 + length_bytes + (frame.masked ? 4 : 0);
    if (bytes.size() < header) break;
    if (length_bytes > 0) length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) length = length << 8U | byte(2 + i);
    if (bytes.size() - header < length) break;
    frame.payload = bytes.substr(header, static_cast<std::size_t>(length));
    if (frame.masked) {
      for (std::size_t i = 0; i < 4; ++i) {
        frame.mask |= static_cast<std::uint32_t>(byte(header - 4 + i)) << (8 * i);
      }
      for (std::size_t i = 0; i < frame.payload.size(); ++i) {
        frame.payload[i] = static_cast<char>(static_cast<unsigned char>(frame.payload[i]) ^
                                             byte(header - 4 + i % 4));
      }
    }
    frames.push_back(frame);
    bytes.erase(0, header + static_cast<std::size_t>(length));
  }
  return frames;
}

/// The value of a header line of a request, "" when it is not there.
inline std::string header_of(std::string_view head, std::string_view name) {
  const std::string start = "\r\n" + std::string(name) + ": ";
  const std::size_t at = head.find(start);
  if (at == std::string_view::npos) return "";
  const std::size_t from = at + start.size();
  return std::string(head.substr(from, head.find("\r\n", from) - from));
}

/// What RFC 6455 makes of a key, 4.2.2.
inline std::string accept_for(std::string_view key) {
  const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  const Sha1Digest digest =
      PlainCrypto().sha1(Bytes(reinterpret_cast<const unsigned char*>(text.data()), text.size()));
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  unsigned count = 0;
  for (const std::uint8_t byte : digest) {
    bits = bits << 8U | byte;
    for (count += 8; count >= 6; count -= 6) out += kAlphabet[bits >> (count - 6) & 63U];
  }
  out += kAlphabet[bits << (6 - count) & 63U];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

/// The answer that opens the connection, to the request that `head` holds.
inline std::string handshake_answer(std::string_view head) {
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Accept: " +
         accept_for(header_of(head, "Sec-WebSocket-Key")) + "\r\n\r\n";
}

}  // namespace lobug
