#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "lobug/tools/mcp.h"
#include "lobug/tools/tools.h"
#include "tools/scripted_host.h"

using lobug::ScriptedHost;
using lobug::Span;

namespace {

std::string answer(std::string_view payload, std::size_t room = 8192) {
  ScriptedHost host;
  std::string buffer(room, '#');
  const std::size_t length =
      lobug::answer_mcp(payload, host, "2.0.0", Span<char>(buffer.data(), buffer.size()));
  REQUIRE(length <= room);
  CHECK(host.done.empty());
  return buffer.substr(0, length);
}

std::string failure(std::string_view id, int code, std::string_view message) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"error":{"code":)" +
         std::to_string(code) + R"(,"message":")" + std::string(message) + R"("}})";
}

std::string initialized(std::string_view version) {
  return R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":")" + std::string(version) +
         R"(","capabilities":{"tools":{}},"serverInfo":{"name":"lobug","version":"2.0.0"}}})";
}

std::string initialize(std::string_view params) {
  return answer(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)" + std::string(params) +
                "}");
}

}  // namespace

TEST_CASE("A version that we know is taken, otherwise ours is offered") {
  CHECK(initialize(R"({"protocolVersion":"2024-11-05","capabilities":{}})") ==
        initialized("2024-11-05"));
  CHECK(initialize(R"({"protocolVersion":"2025-06-18"})") == initialized("2025-06-18"));
  CHECK(initialize(R"({"protocolVersion":"2025-11-25"})") == initialized("2024-11-05"));
  CHECK(initialize(R"({"protocolVersion":"1.0"})") == initialized("2024-11-05"));
  CHECK(initialize("{}") == failure("0", -32602, "protocolVersion is missing"));
  CHECK(initialize(R"({"protocolVersion":1})") ==
        failure("0", -32602, "protocolVersion is missing"));
}

TEST_CASE("Ping is answered, and the id comes back as it was") {
  const auto ping = [](std::string_view id) {
    return answer(R"({"jsonrpc":"2.0","method":"ping","id":)" + std::string(id) + "}");
  };
  CHECK(ping("7") == R"({"jsonrpc":"2.0","id":7,"result":{}})");
  CHECK(ping("-9007199254740991") == R"({"jsonrpc":"2.0","id":-9007199254740991,"result":{}})");
  CHECK(ping(R"("a\"b")") == R"({"jsonrpc":"2.0","id":"a\"b","result":{}})");
}

TEST_CASE("An id that is none is refused") {
  const auto ping = [](const std::string& id) {
    return answer(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}");
  };
  const std::string refused = failure("null", -32600, "the id is no number and no short text");
  for (const char* id : {"null", "true", "[1]", "{}"}) {
    CAPTURE(id);
    CHECK(ping(id) == refused);
  }
  CHECK(ping("\"" + std::string(65, 'a') + "\"") == refused);
  CHECK(ping(std::string(25, '1')) == refused);
}

TEST_CASE("What is no JSON, no request or a batch is answered with the error for it") {
  CHECK(answer("") == failure("null", -32700, "this is no JSON"));
  CHECK(answer("{") == failure("null", -32700, "this is no JSON"));
  const std::string batch = failure("null", -32600, "one request at a time, an object");
  CHECK(answer("[]") == batch);
  CHECK(answer(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])") == batch);
  CHECK(answer("1") == batch);
  const std::string malformed = failure("1", -32600, "this is no request of JSON-RPC 2.0");
  CHECK(answer(R"({"id":1,"method":"ping"})") == malformed);
  CHECK(answer(R"({"jsonrpc":"1.0","id":1,"method":"ping"})") == malformed);
  CHECK(answer(R"({"jsonrpc":2.0,"id":1,"method":"ping"})") == malformed);
  CHECK(answer(R"({"jsonrpc":"2.0","id":1,"method":5})") == malformed);
  CHECK(answer(R"({"jsonrpc":"2.0","id":1})") == malformed);
  CHECK(answer("{}") == failure("null", -32600, "the id is no number and no short text"));
}

TEST_CASE("Unknown methods and wrong params") {
  CHECK(answer(R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})") ==
        failure("1", -32601, "there is no such method"));
  CHECK(answer(R"({"jsonrpc":"2.0","id":1,"method":""})") ==
        failure("1", -32601, "there is no such method"));
  CHECK(answer(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})") ==
        failure("1", -32602, "params is no object"));
}

TEST_CASE("Notifications are never answered nor carried out") {
  CHECK(answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").empty());
  CHECK(answer(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})").empty());
  CHECK(answer(R"({"jsonrpc":"2.0","method":"ping"})").empty());
  CHECK(answer(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"self.beep"}})").empty());
}

TEST_CASE("Answers to what we never asked are passed over") {
  CHECK(answer(R"({"jsonrpc":"2.0","id":1,"result":{}})").empty());
  CHECK(answer(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}})").empty());
}

TEST_CASE("An answer that does not fit is none") {
  const std::string ping = R"({"jsonrpc":"2.0","id":7,"method":"ping"})";
  const std::size_t whole = answer(ping).size();
  for (std::size_t room = 0; room < whole; ++room) CHECK(answer(ping, room).empty());
  CHECK(answer(ping, whole).size() == whole);
}
