#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "lobug/protocol/messages.h"

using lobug::Discovery;
using lobug::read_discovery;

namespace {

constexpr std::string_view kSha =
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

Discovery with_firmware(const std::string& fields) {
  return read_discovery(R"({"firmware":{)" + fields + "}}");
}

}  // namespace

TEST_CASE("An unknown device gets a code") {
  const Discovery reply = read_discovery(
      R"({"server_time": {"timestamp": 1795322132950, "timezone_offset": 60},
          "firmware": {"version": "2.0.1", "url": ""},
          "activation": {"code": "934342", "message": "Lo-Bug: let me in with\n934342",
                         "challenge": "mnyxKyL9Bl-AO7WB9q29hLPrJahb2Nhe", "timeout_ms": 599991}})");
  CHECK(reply.ok);
  CHECK(reply.code == "934342");
  CHECK(reply.challenge == "mnyxKyL9Bl-AO7WB9q29hLPrJahb2Nhe");
  CHECK(reply.timeout_ms == 599991);
  CHECK(reply.server_time_ms == 1795322132950);
  CHECK(reply.utc_offset_min == 60);
  CHECK(reply.firmware_version == "2.0.1");
  CHECK(reply.firmware_url.empty());
  CHECK(reply.websocket_url.empty());
}

TEST_CASE("A paired device gets the address, and its token once") {
  const Discovery first = read_discovery(
      R"({"websocket":{"url":"ws://192.168.1.5:8321/xiaozhi/v1/","version":1,"token":"lobug_9vJx"}})");
  CHECK(first.ok);
  CHECK(first.code.empty());
  CHECK(first.websocket_url == "ws://192.168.1.5:8321/xiaozhi/v1/");
  CHECK(first.token == "lobug_9vJx");
  const Discovery later =
      read_discovery(R"({"websocket":{"url":"wss://lobug.example.org/xiaozhi/v1/"}})");
  CHECK(later.ok);
  CHECK(later.token.empty());
}

TEST_CASE("Nothing of an earlier answer is left in a later one") {
  Discovery reply;
  lobug::read_discovery(
      R"({"websocket":{"url":"ws://a/","token":"t","update_key":")" + std::string(64, 'a') +
          R"("},"activation":{"code":"1","challenge":"c","timeout_ms":5},)"
          R"("server_time":{"timestamp":5,"timezone_offset":60},)" +
          R"("firmware":{"version":"2.1.0","url":"http://a/","size":1,"force":true,"sha256":")" +
          std::string(kSha) + R"(","signature":")" + std::string(128, 'b') + "\"}}",
      reply);
  CHECK(reply.ok);
  CHECK(reply.firmware_force);
  lobug::read_discovery("nothing", reply);
  CHECK_FALSE(reply.ok);
  for (const std::string_view text :
       {reply.code.view(), reply.challenge.view(), reply.websocket_url.view(), reply.token.view(),
        reply.update_key.view(), reply.firmware_version.view(), reply.firmware_url.view(),
        reply.firmware_sha256.view(), reply.firmware_signature.view()}) {
    CHECK(text.empty());
  }
  CHECK(reply.timeout_ms == 0);
  CHECK(reply.server_time_ms == 0);
  CHECK(reply.utc_offset_min == 0);
  CHECK(reply.firmware_size == 0);
  CHECK_FALSE(reply.firmware_force);
}

TEST_CASE("The key of updates and a signature are hexadecimal, or not there") {
  const std::string key(64, 'A');
  const std::string signature(128, 'b');
  const auto read = [](const std::string& of_key, const std::string& of_signature) {
    return read_discovery(R"({"websocket":{"update_key":")" + of_key +
                          R"("},"firmware":{"signature":")" + of_signature + "\"}}");
  };
  const Discovery reply = read(key, signature);
  CHECK(reply.update_key == std::string(64, 'a'));
  CHECK(reply.firmware_signature == signature);
  for (const std::size_t size : {0U, 63U, 65U, 128U}) {
    CHECK(read(std::string(size, 'a'), signature).update_key.empty());
  }
  for (const std::size_t size : {0U, 64U, 127U, 129U}) {
    CHECK(read(key, std::string(size, 'b')).firmware_signature.empty());
  }
  CHECK(read(std::string(64, 'g'), "").update_key.empty());
  CHECK(read_discovery(R"({"websocket":{"update_key":7}})").update_key.empty());
}

TEST_CASE("A new firmware is told with all that is needed to check it") {
  const Discovery reply = with_firmware(
      R"("version":"2.1.0","url":"http://192.168.1.5:8321/firmware/m5stack-core2/2.1.0",)"
      R"("size":1234567,"force":true,"sha256":")" +
      std::string(kSha) + "\"");
  CHECK(reply.ok);
  CHECK(reply.firmware_version == "2.1.0");
  CHECK(reply.firmware_url == "http://192.168.1.5:8321/firmware/m5stack-core2/2.1.0");
  CHECK(reply.firmware_size == 1234567);
  CHECK(reply.firmware_sha256 == kSha);
  CHECK(reply.firmware_force);
}

TEST_CASE("A digest is 64 hexadecimal digits or nothing") {
  const auto digest = [](const std::string& value) {
    return std::string(with_firmware(R"("sha256":")" + value + "\"").firmware_sha256.view());
  };
  std::string large(kSha);
  for (char& c : large) {
    if (c >= 'a') c = static_cast<char>(c - 'a' + 'A');
  }
  CHECK(digest(large) == kSha);
  CHECK(digest(std::string(kSha.substr(1))).empty());
  CHECK(digest(std::string(kSha) + "0").empty());
  CHECK(digest(std::string(kSha.substr(1)) + "g").empty());
  CHECK(digest(std::string(kSha.substr(1)) + ":").empty());
}

TEST_CASE("Force is true or 1") {
  CHECK(with_firmware(R"("force":true)").firmware_force);
  CHECK(with_firmware(R"("force":1)").firmware_force);
  CHECK_FALSE(with_firmware(R"("force":false)").firmware_force);
  CHECK_FALSE(with_firmware(R"("force":0)").firmware_force);
  CHECK_FALSE(with_firmware(R"("force":2)").firmware_force);
  CHECK_FALSE(with_firmware(R"("force":"true")").firmware_force);
  CHECK_FALSE(with_firmware("").firmware_force);
}

TEST_CASE("Sizes and times out of range are none") {
  CHECK(with_firmware(R"("size":4294967295)").firmware_size == 4294967295U);
  CHECK(with_firmware(R"("size":4294967296)").firmware_size == 0);
  CHECK(with_firmware(R"("size":-1)").firmware_size == 0);
  CHECK(with_firmware(R"("size":"1234")").firmware_size == 0);
  CHECK(read_discovery(R"({"server_time":{"timestamp":-5}})").server_time_ms == 0);
  CHECK(read_discovery(R"({"activation":{"timeout_ms":1e12}})").timeout_ms == 0);
}

TEST_CASE("An address or a token that is too long or no plain word is left out, never cut") {
  const auto token = [](const std::string& value) {
    return read_discovery(R"({"websocket":{"token":")" + value + "\"}}").token.size();
  };
  CHECK(token(std::string(128, 'a')) == 128);
  CHECK(token(std::string(129, 'a')) == 0);
  CHECK(token(R"(a\r\nHost: evil)") == 0);
  CHECK(token("a b") == 0);
  CHECK(token("\xC3\xA9") == 0);
  CHECK(token(R"(a\u0000b)") == 0);
  CHECK(token(R"(a\u007f)") == 0);
  CHECK(read_discovery(R"({"websocket":{"url":"ws://)" + std::string(252, 'a') + "\"}}")
            .websocket_url.empty());
}

TEST_CASE("What is no discovery reply is not taken for one") {
  for (const std::string_view reply :
       {"", "<html>", "[]", "{}", "null", R"({"error":{"code":"server_error","message":"x"}})",
        R"({"websocket":"ws://x"})", R"({"activation":"934342"})", R"({"firmware":null})",
        R"({"websocket":{"url":"ws://x"})"}) {
    CAPTURE(std::string(reply));
    CHECK_FALSE(read_discovery(reply).ok);
    CHECK(read_discovery(reply).websocket_url.empty());
  }
}
