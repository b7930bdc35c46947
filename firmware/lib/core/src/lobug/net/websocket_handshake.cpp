#include "lobug/net/websocket_handshake.h"

#include <cstdint>
#include <cstring>

#include "lobug/net/http_syntax.h"

namespace lobug {
namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455, 1.3

}  // namespace

void write_base64(Bytes bytes, char* out) {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = bytes.size() - at < 3 ? bytes.size() - at : 3;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8U | (i < count ? bytes[at + i] : 0U);
    for (std::size_t i = 0; i < 4; ++i) {
      *out++ = i <= count ? kAlphabet[bits >> (18U - 6U * i) & 63U] : '=';
    }
  }
}

HandshakeKey make_handshake_key(Random& random) {
  unsigned char bytes[16];
  for (std::size_t i = 0; i < sizeof bytes; i += 4) {
    const std::uint32_t word = random.next();
    std::memcpy(bytes + i, &word, sizeof word);
  }
  return base64_of(bytes);
}

HandshakeAccept accept_of(const HandshakeKey& key, Crypto& crypto) {
  Text<HandshakeKey::capacity() + kGuid.size()> text(key);
  text.append(kGuid);
  const Sha1Digest digest =
      crypto.sha1(Bytes(reinterpret_cast<const unsigned char*>(text.c_str()), text.size()));
  char out[base64_size(sizeof digest)];
  write_base64(Bytes(digest.data(), digest.size()), out);
  return HandshakeAccept(std::string_view(out, sizeof out));
}

HandshakeWritten write_handshake(const WebSocketRequest& request, const HandshakeKey& key,
                                 MutableBytes out) {
  if (request.host.empty()) return {};
  HeadWriter head(out);
  head.request_line("GET", request.path);
  head.field("Host", request.host);
  head.field("Upgrade", "websocket");
  head.field("Connection", "Upgrade");
  head.field("Sec-WebSocket-Key", key);
  head.field("Sec-WebSocket-Version", "13");
  head.field("Authorization", "Bearer ", request.token);
  head.field("Device-Id", request.device_id);
  head.field("Client-Id", request.client_id);
  head.end();
  return {head.size(), head.too_large()};
}

void HandshakeReader::start(const HandshakeAccept& accept) {
  *this = HandshakeReader();
  accept_ = accept;
}

HandshakeReader::Step HandshakeReader::take(std::string_view line) {
  bytes_ += line.size() + 2;
  if (++lines_ > kMostHeadLines || bytes_ > kMostHeadBytes) return Step::kTooLarge;
  if (status_ == 0) {
    StatusLine parsed;
    if (!parse_status_line(line, parsed)) return Step::kBroken;
    status_ = parsed.status;
    if (status_ != kSwitchingProtocols) return Step::kRefused;
    return parsed.minor_version == 0 ? Step::kBroken : Step::kMore;
  }
  if (!line.empty()) return take_header(line);
  return upgrade_ && connection_ && accepted_ ? Step::kOpen : Step::kBroken;
}

HandshakeReader::Step HandshakeReader::take_header(std::string_view line) {
  HeaderField header;
  if (!parse_header_field(line, header)) return Step::kBroken;
  if (same_ignoring_case(header.name, "Upgrade")) {
    if (!same_ignoring_case(header.value, "websocket")) return Step::kBroken;
    upgrade_ = true;
  } else if (same_ignoring_case(header.name, "Connection")) {
    connection_ = connection_ || list_names(header.value, "upgrade");
  } else if (same_ignoring_case(header.name, "Sec-WebSocket-Accept")) {
    if (accepted_ || header.value != accept_.view()) return Step::kBroken;
    accepted_ = true;
  } else if (same_ignoring_case(header.name, "Sec-WebSocket-Extensions") ||
             same_ignoring_case(header.name, "Sec-WebSocket-Protocol")) {
    // None was offered, so the frames that follow would be misread.
    if (!header.value.empty()) return Step::kBroken;
  }
  return Step::kMore;
}

}  // namespace lobug
