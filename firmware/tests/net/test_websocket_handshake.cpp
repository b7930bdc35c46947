#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "lobug/net/http_syntax.h"
#include "lobug/net/websocket_handshake.h"
#include "support/plain_crypto.h"

using namespace lobug;

namespace {

using Step = HandshakeReader::Step;

constexpr const char* kKey = "dGhlIHNhbXBsZSBub25jZQ==";
constexpr const char* kAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

WebSocketRequest request() {
  WebSocketRequest made;
  made.host = "192.168.1.5:8000";
  made.path = "/xiaozhi/v1/";
  return made;
}

std::string written(const WebSocketRequest& what, std::size_t room = 1000) {
  std::vector<unsigned char> out(room);
  const HandshakeWritten result =
      write_handshake(what, HandshakeKey(kKey), {out.data(), out.size()});
  return std::string(reinterpret_cast<const char*>(out.data()), result.size);
}

/// What the last of the lines leads to; the ones before it lead to nothing.
Step read(const std::vector<std::string>& lines) {
  HandshakeReader reader;
  reader.start(HandshakeAccept(kAccept));
  Step step = Step::kMore;
  for (const std::string& line : lines) {
    CHECK(step == Step::kMore);
    step = reader.take(line);
  }
  return step;
}

Step read_headers(std::vector<std::string> lines) {
  lines.insert(lines.begin(), "HTTP/1.1 101 Switching Protocols");
  lines.emplace_back("");
  return read(lines);
}

const std::string kUpgrade = "Upgrade: websocket";
const std::string kConnection = "Connection: Upgrade";
const std::string kAccepted = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

}  // namespace

TEST_CASE("the request is the one of RFC 6455, with who is calling") {
  WebSocketRequest all = request();
  all.token = "lobug_abc";
  all.device_id = "aa:bb";
  all.client_id = "5e5c";
  CHECK(written(all) ==
        "GET /xiaozhi/v1/ HTTP/1.1\r\nHost: 192.168.1.5:8000\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Version: 13\r\nAuthorization: Bearer lobug_abc\r\nDevice-Id: aa:bb\r\n"
        "Client-Id: 5e5c\r\n\r\n");
  const std::string plain = written(request());
  CHECK(plain.find("Authorization") == std::string::npos);
  CHECK(plain.find("Device-Id") == std::string::npos);
  CHECK(written(request(), plain.size()) == plain);
  CHECK(written(request(), plain.size() - 1).empty());
}

TEST_CASE("nothing breaks out of a line of the request, and a host is a must") {
  for (std::string_view WebSocketRequest::* member :
       {&WebSocketRequest::host, &WebSocketRequest::path, &WebSocketRequest::token,
        &WebSocketRequest::device_id, &WebSocketRequest::client_id}) {
    for (const char* evil : {"a\r\nX: 1", "/\r\n", "\n", "/a\x7F", "/\xC3\xA4"}) {
      WebSocketRequest bad = request();
      bad.*member = evil;
      CHECK(written(bad).empty());
    }
  }
  WebSocketRequest none = request();
  none.host = "";
  CHECK(written(none).empty());
  none = request();
  none.path = "";
  CHECK(written(none).empty());
}

TEST_CASE("an answer that opens the connection") {
  CHECK(read_headers({kUpgrade, kConnection, kAccepted}) == Step::kOpen);
  CHECK(read_headers({"upgrade:WebSocket", "connection: keep-alive, UPGRADE",
                      "sec-websocket-accept:  s3pPLMBiTxaQ9kYGzzhZRbK+xOo=  ", "Server: uvicorn",
                      "Date: today"}) == Step::kOpen);
  CHECK(read_headers({kAccepted, "Connection: close", kConnection, kUpgrade,
                      "Sec-WebSocket-Extensions:"}) == Step::kOpen);
}

TEST_CASE("an answer that does not") {
  CHECK(read_headers({}) == Step::kBroken);
  CHECK(read_headers({kConnection, kAccepted}) == Step::kBroken);
  CHECK(read_headers({kUpgrade, kAccepted}) == Step::kBroken);
  CHECK(read_headers({kUpgrade, kConnection}) == Step::kBroken);
  CHECK(read_headers({kUpgrade, "Connection: keep-alive", kAccepted}) == Step::kBroken);
  const std::vector<std::string> start = {"HTTP/1.1 101 x", kUpgrade, kConnection};
  const auto breaks = [&](const std::string& line) {
    std::vector<std::string> lines = start;
    lines.push_back(line);
    return read(lines) == Step::kBroken;
  };
  CHECK(breaks("Sec-WebSocket-Accept: S3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
  CHECK(breaks("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo"));
  CHECK(breaks("Sec-WebSocket-Accept:"));
  CHECK(breaks("Upgrade: h2c"));
  CHECK(breaks("Sec-WebSocket-Extensions: permessage-deflate"));
  CHECK(breaks("Sec-WebSocket-Protocol: chat"));
  CHECK(breaks(" folded"));
  CHECK(breaks("no colon"));
  CHECK(read({"HTTP/1.1 101 x", kAccepted, kAccepted}) == Step::kBroken);
  CHECK(read({"HTTP/1.0 101 x"}) == Step::kBroken);
  CHECK(read({"HTTP/1.1"}) == Step::kBroken);
  CHECK(read({""}) == Step::kBroken);
}

TEST_CASE("a refusal is told with its status") {
  for (const int status : {100, 200, 302, 401, 403, 404, 429, 503}) {
    HandshakeReader reader;
    reader.start(HandshakeAccept(kAccept));
    CHECK(reader.status() == 0);
    CHECK(reader.take("HTTP/1.1 " + std::to_string(status) + " reason") == Step::kRefused);
    CHECK(reader.status() == status);
  }
}

TEST_CASE("the answer's head is bounded") {
  HandshakeReader reader;
  reader.start(HandshakeAccept(kAccept));
  CHECK(reader.take("HTTP/1.1 101 x") == Step::kMore);
  for (std::size_t i = 1; i < kMostHeadLines; ++i) CHECK(reader.take("A: b") == Step::kMore);
  CHECK(reader.take("A: b") == Step::kTooLarge);

  reader.start(HandshakeAccept(kAccept));
  CHECK(reader.take("HTTP/1.1 101 x") == Step::kMore);  // 16 bytes with its end
  CHECK(reader.take("A: " + std::string(kMostHeadBytes - 16 - 5, 'a')) == Step::kMore);
  CHECK(reader.take("") == Step::kTooLarge);
}
