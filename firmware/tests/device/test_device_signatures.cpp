// Updates whose signature decides, and the key that the device keeps for its server.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "device/scripted_world.h"
#include "lobug/language/phrases.h"
#include "lobug/sentences.h"

namespace lobug::test {
namespace {

using S = DeviceState;

/// A server with a newer firmware.
struct Offering : World {
  explicit Offering(const char* more = "") {
    firmware = std::string(64, 'f');
    discovery = R"({"websocket":{"url":"ws://10.0.0.2:8321/xiaozhi/v1/","token":"t0ken"},)"
                R"("firmware":{"version":"2.1.0",)" +
                std::string(more) +
                R"("url":"http://10.0.0.2:8321/firmware/host/2.1.0","size":64,"sha256":")" +
                firmware_hash() + R"("}})";
  }
  std::int64_t fetched() const {
    return std::count(requests.begin(), requests.end(), "GET /firmware/host/2.1.0");
  }
  std::int64_t logged(std::string_view line) const {
    return std::count(system.lines.begin(), system.lines.end(), std::string(line));
  }
  /// The session ends for good, so that discovery is asked again.
  void ask_again() {
    session.deliver(close_frame(4004));
    step();
    REQUIRE(reach(S::kIdle));
  }
  void pin(char digit, const char* server = "http://10.0.0.2:8321") {
    store.values["update_key"] = std::string(64, digit) + " " + server;
  }
};

std::string nonce_in(const std::string& request) {
  const std::string name = "\"update_nonce\":\"";
  const std::size_t at = request.find(name);
  REQUIRE(at != std::string::npos);
  return request.substr(at + name.size(), request.find('"', at + name.size()) - at - name.size());
}

}  // namespace

TEST_CASE("the key comes with the token and is kept beside it") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  CHECK(w.stored("update_key") == std::string(64, '5') + " http://10.0.0.2:8321");
}

TEST_CASE(
    "a device that was paired before there were signatures keeps the first key that it hears") {
  Offering w;
  w.store.values["token"] = "t0ken";
  w.store.values["token_server"] = "http://10.0.0.2:8321";
  w.discovery.replace(w.discovery.find(",\"token\":\"t0ken\""), 16, "");
  w.boot();
  w.wifi();
  w.steps(60);
  CHECK(w.stored("update_key").substr(0, 64) == std::string(64, '5'));
  CHECK(w.slot.activated == 1);
}

TEST_CASE("each request draws another nonce") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  const std::string first = nonce_in(w.heads.front());
  CHECK(first.size() == 32);
  CHECK(first.find_first_not_of("0123456789abcdef") == std::string::npos);
  w.session.deliver(close_frame(4004));
  w.step();
  REQUIRE(w.reach(S::kIdle));
  CHECK(nonce_in(w.heads.back()).size() == 32);
  CHECK(nonce_in(w.heads.back()) != first);
}

TEST_CASE("an update that is not to be trusted is not fetched, and that is said once") {
  Offering w;
  std::string_view line = sentences::kUpdateWronglySigned;
  Phrase phrase = Phrase::kUpdateWrongSignature;
  SUBCASE("by another server's key") { w.pin('4'); }
  SUBCASE("for another board") { w.signs_board = "m5stack-cores3"; }
  SUBCASE("of another day") { w.signs_nonce = std::string(32, '0'); }
  SUBCASE("signed for another intent") { w.signs_intent = "force"; }
  SUBCASE("by a server that knows no signatures") {
    w.signs = false;
    line = sentences::kUpdateNotSigned;
    phrase = Phrase::kUpdateUnsigned;
  }
  SUBCASE("unsigned, although it signed before") {
    w.signs = false;
    w.pin('5');
    line = sentences::kUpdateNotSigned;
    phrase = Phrase::kUpdateUnsigned;
  }
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  CHECK(w.view().notice == phrases_of(Language::kEnglish)[phrase]);
  CHECK(w.logged(line) == 1);
  w.ask_again();
  CHECK(w.logged(line) == 1);
  CHECK(w.fetched() == 0);
  CHECK(w.slot.begun == 0);
  CHECK(w.system.restarts == 0);
}

TEST_CASE("a forced older version is taken if that was signed, and only then") {
  Offering w(R"("force":true,)");
  w.discovery.replace(w.discovery.find("2.1.0"), 5, "1.9.0");
  w.slot.next_version = "1.9.0";
  SUBCASE("signed") {
    w.boot();
    w.wifi();
    w.steps(60);
    CHECK(w.slot.activated == 1);
  }
  SUBCASE("an older offer, to which somebody has added force") {
    w.signs_intent = "newer";
    w.boot();
    w.wifi();
    REQUIRE(w.reach(S::kIdle));
    CHECK(w.slot.activated == 0);
    CHECK(w.view().notice == phrases_of(Language::kEnglish)[Phrase::kUpdateWrongSignature]);
  }
}

TEST_CASE("once the server signs, the update that was refused is taken") {
  Offering w;
  w.signs = false;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.signs = true;
  w.session.deliver(close_frame(4004));
  w.steps(400);
  CHECK(w.slot.activated == 1);
}

TEST_CASE("nobody who answers in the server's place brings another key") {
  Offering w;
  w.pin('4');
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  SUBCASE("with another token") { w.discovery.replace(w.discovery.find("t0ken"), 5, "t1ken"); }
  SUBCASE("after it has refused the token") {
    w.socket_status = 401;
    w.session.deliver(close_frame(4004));
    w.steps(300);
    w.socket_status = 101;
  }
  w.steps(3000);
  w.ask_again();
  CHECK(w.stored("update_key").substr(0, 64) == std::string(64, '4'));
  CHECK(w.fetched() == 0);
}

TEST_CASE("pairing again at the device forgets the key, and takes the server's") {
  Offering w;
  w.pin('4');
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.input(Input::Kind::kForgetPairing);
  w.steps(400);
  CHECK(w.stored("update_key").substr(0, 64) == std::string(64, '5'));
  CHECK(w.slot.activated == 1);
}

TEST_CASE("the key of another server is none") {
  Offering w;
  w.pin('4', "http://10.0.0.9:8321");
  w.boot();
  w.wifi();
  w.steps(60);
  CHECK(w.stored("update_key") == std::string(64, '5') + " http://10.0.0.2:8321");
  CHECK(w.slot.activated == 1);
}

TEST_CASE("a reset forgets the key") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.input(Input::Kind::kReset);
  CHECK(w.stored("update_key").empty());
}

TEST_CASE("the server hears that its update was refused") {
  Offering w;
  w.features = R"({"reports":true})";
  const auto last_hello = [&w] {
    std::string hello;
    for (const std::string& text : w.texts) {
      if (text.find("\"hello\"") != std::string::npos) hello = text;
    }
    return hello;
  };
  SUBCASE("refused") {
    w.pin('4');
    w.boot();
    w.wifi();
    REQUIRE(w.reach(S::kIdle));
    CHECK(last_hello().find(R"("update_refused":"wrong_signature")") != std::string::npos);
  }
  SUBCASE("nothing to refuse") {
    w.firmware.clear();
    w.discovery = World().discovery;
    w.boot();
    w.wifi();
    REQUIRE(w.reach(S::kIdle));
    CHECK(last_hello().find("update_refused") == std::string::npos);
  }
}

}  // namespace lobug::test
