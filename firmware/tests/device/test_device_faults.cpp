// The device when owner, server and network do what they should not.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "device/scripted_world.h"

using namespace lobug;
using lobug::test::World;
using S = DeviceState;

namespace {

std::int64_t count_of(const World& w, const char* request) {
  return std::count(w.requests.begin(), w.requests.end(), request);
}

bool has_tls(World& w) { return load_settings(w.store).server.view().rfind("https:", 0) == 0; }

/// Discovery's reply with a newer firmware, which the server does not have.
std::string update_offered() {
  return R"({"websocket":{"url":"ws://10.0.0.2:8321/xiaozhi/v1/","token":"t0ken"},)"
         R"("firmware":{"version":"2.1.0","url":"http://10.0.0.2:8321/firmware/host/2.1.0",)"
         R"("size":5001,"sha256":")" +
         std::string(64, '0') + R"("}})";
}

const char* const kTls =
    R"({"websocket":{"url":"wss://10.0.0.2:8443/xiaozhi/v1/","version":1,"token":"t0ken"}})";

}  // namespace

TEST_CASE("pairing anew leaves a device without a Wi-Fi in its setup") {
  World w;
  w.store.values.clear();
  w.boot();
  REQUIRE(w.device->state() == S::kSetup);
  w.input(Input::Kind::kForgetPairing);
  CHECK(w.device->state() == S::kSetup);
}

TEST_CASE("pairing anew while the Wi-Fi is away waits for the Wi-Fi") {
  World w;
  w.boot();
  REQUIRE(w.device->state() == S::kJoining);
  w.input(Input::Kind::kForgetPairing);
  CHECK(w.device->state() == S::kJoining);
  CHECK(w.reach(S::kOffline, 400, 100));
  CHECK(w.view().trouble == Trouble::kNoWifi);
  w.wifi();
  CHECK(w.reach(S::kIdle));
}

TEST_CASE("a Wi-Fi whose coming was not heard of is noticed by its signal") {
  World w;
  w.boot();
  REQUIRE(w.reach(S::kOffline, 400, 100));
  w.input(Input::Kind::kWifiSignal, -60);
  CHECK(w.view().wifi);
  CHECK(w.reach(S::kIdle));
}

TEST_CASE("what the device stores overwrites nothing that another thread has stored meanwhile") {
  World w;
  const std::string let_in = w.discovery;
  Settings theirs = load_settings(w.store);
  theirs.wifi_name = "new home";
  SUBCASE("a level that was set") {
    w.boot();
    w.wifi();
    REQUIRE(w.reach(S::kIdle));
    w.input(Input::Kind::kVolume, 20);
    REQUIRE(save_setting(w.store, theirs, "wifi_name"));
    w.steps(30, 100);
    CHECK(load_settings(w.store).volume == 20);
  }
  SUBCASE("a token that came") {
    w.discovery = R"({"activation":{"code":"123456","timeout_ms":60000}})";
    w.boot();
    w.wifi();
    REQUIRE(w.reach(S::kPairing));
    REQUIRE(save_setting(w.store, theirs, "wifi_name"));
    w.discovery = let_in;
    w.activate_status = 200;
    REQUIRE(w.reach(S::kIdle, 800));
    CHECK(load_settings(w.store).token == "t0ken");
  }
  CHECK(load_settings(w.store).wifi_name == "new home");
}

TEST_CASE("a restart does not lose what was just set") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.input(Input::Kind::kVolume, 20);
  SUBCASE("by the owner") { w.input(Input::Kind::kRestart); }
  SUBCASE("by the server") { w.say(R"({"type":"system","command":"reboot"})"); }
  CHECK(w.system.restarts == 1);
  CHECK(load_settings(w.store).volume == 20);
}

TEST_CASE("a reset leaves nothing, whatever was just set") {
  World w;
  w.boot();
  w.input(Input::Kind::kVolume, 20);
  w.input(Input::Kind::kReset);
  CHECK(w.system.restarts == 1);
  CHECK(w.store.values.empty());
}

TEST_CASE("an address that is of no use is asked for again, until a good one comes") {
  World w;
  const std::string good = w.discovery;
  SUBCASE("of another scheme") { w.discovery = R"({"websocket":{"url":"gopher://x"}})"; }
  SUBCASE("without TLS where the owner asked for it") {
    Settings settings = load_settings(w.store);
    settings.server = "https://10.0.0.2:8443";
    settings.ca = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n";
    REQUIRE(save_settings(w.store, settings));
  }
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kOffline));
  CHECK(w.session.opened == 0);
  w.discovery = has_tls(w) ? kTls : good;
  CHECK(w.reach(S::kIdle, 200, 100));
}

TEST_CASE("a server that closes each session at once is not stormed") {
  World w;
  w.boot();
  w.wifi();
  std::uint16_t code = 0;
  SUBCASE("for idleness") { code = 4006; }
  SUBCASE("for nothing") { code = 1000; }
  const int before = w.session.opened;
  for (int round = 0; round < 1200; ++round) {  // two minutes
    if (w.device->state() == S::kIdle) w.session.deliver(close_frame(code));
    w.step(100);
  }
  const int tries = w.session.opened - before;
  CHECK(tries >= 3);
  CHECK(tries <= 12);
}

TEST_CASE("a session that has lasted begins anew with short pauses") {
  World w;
  w.boot();
  w.wifi();
  for (int round = 0; round < 8; ++round) {
    REQUIRE(w.reach(S::kIdle, 700, 100));
    w.session.deliver(close_frame(1000));
    w.steps(2);
  }
  REQUIRE(w.reach(S::kIdle, 700, 100));
  w.steps(120, 100);
  w.session.deliver(close_frame(1000));
  w.steps(2);
  CHECK(w.reach(S::kIdle, 15, 100));
}

TEST_CASE("a code's time that makes no sense neither storms the server nor freezes the code") {
  World w;
  SUBCASE("none at all") { w.discovery = R"({"activation":{"code":"123456","timeout_ms":1}})"; }
  SUBCASE("beyond what time can tell") {
    w.discovery = R"({"activation":{"code":"123456","timeout_ms":4294967295}})";
  }
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kPairing));
  w.steps(290, 100);
  CHECK(count_of(w, "POST /xiaozhi/ota/") <= 3);
  CHECK(count_of(w, "POST /xiaozhi/ota/activate") >= 5);
}

TEST_CASE("an update that the Wi-Fi cuts off is given up") {
  World w;
  w.discovery = update_offered();
  const auto serve = w.http.on_write;
  w.http.on_write = [&](std::string_view bytes) {  // the image never comes
    if (w.http.written.rfind("GET ", 0) != 0) serve(bytes);
  };
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kUpdating));
  REQUIRE(w.slot.is_writing());
  w.input(Input::Kind::kWifiDown);
  CHECK_FALSE(w.slot.is_writing());
  CHECK(w.slot.activated == 0);
}

TEST_CASE("an update that the network spoils is no bad news: it is tried again soon") {
  World w;
  w.discovery = update_offered();
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));  // the server had no image: 404
  CHECK(w.view().notice.empty());
  const auto tried = count_of(w, "GET /firmware/host/2.1.0");
  REQUIRE(tried >= 1);
  w.session.deliver(text_frame("{}"));
  w.steps(8000, 100);
  CHECK(count_of(w, "GET /firmware/host/2.1.0") == tried);
  for (int minute = 0; minute < 3; ++minute) {
    w.session.deliver(text_frame("{}"));
    w.steps(600, 100);
  }
  CHECK(count_of(w, "GET /firmware/host/2.1.0") == tried + 1);
}

TEST_CASE("with TLS a server that takes no sensors over the session gets few, and none in a talk") {
  World w;
  Settings settings = load_settings(w.store);
  settings.server = "https://10.0.0.2:8443";
  settings.ca = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n";
  REQUIRE(save_settings(w.store, settings));
  w.discovery = kTls;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.steps(60, 100);
  const auto before = count_of(w, "POST /context/sensors");
  CHECK(before >= 1);
  w.input(Input::Kind::kTap);
  REQUIRE(w.device->state() == S::kListening);
  w.steps(100, 100);
  REQUIRE(w.device->state() == S::kListening);
  CHECK(count_of(w, "POST /context/sensors") == before);
  REQUIRE(w.reach(S::kIdle, 200, 100));
  w.steps(60, 100);
  CHECK(count_of(w, "POST /context/sensors") > before);
}

TEST_CASE("asking for updates goes to the server of the session, whoever else can be found") {
  World w;
  w.store.values.erase("server");
  w.finder.host = "10.0.0.2";
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle, 1000));
  const int searches = w.finder.searches;
  const auto asked = count_of(w, "POST /xiaozhi/ota/");
  w.finder.host = "10.6.6.6";
  w.discovery = R"({"activation":{"code":"123456","timeout_ms":60000}})";
  w.session.deliver(text_frame("{}"));
  w.step(21600000);
  w.session.deliver(text_frame("{}"));
  w.steps(60, 200);
  REQUIRE(w.device->state() == S::kIdle);
  CHECK(count_of(w, "POST /xiaozhi/ota/") == asked + 1);
  CHECK(w.finder.searches == searches);
  CHECK(w.http.endpoint.host == "10.0.0.2");
  CHECK(header_of(w.heads.back(), "Host") == "10.0.0.2:8321");
}

TEST_CASE("a tap takes a notice away that would stay for ever") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.say(R"({"type":"mcp","payload":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":)"
        R"({"name":"self.screen.show_text","arguments":{"text":"Milk!","seconds":0}}}})");
  w.session.deliver(text_frame("{}"));
  w.steps(300, 100);
  REQUIRE(w.view().notice == "Milk!");
  w.input(Input::Kind::kTap);
  CHECK(w.view().notice.empty());
  CHECK(w.device->state() == S::kIdle);  // the tap was for the notice
  w.input(Input::Kind::kTap);
  CHECK(w.device->state() == S::kListening);
}

TEST_CASE("too little memory is said on the screen, also while all else is well") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.system.memory = 8000;
  CHECK(w.view().notice == english()[sentence_of(Trouble::kLowMemory)]);
  w.input(Input::Kind::kTap);  // seen
  CHECK(w.view().notice.empty());
  w.steps(10, 100);
  CHECK(w.view().notice.empty());
}

TEST_CASE("with too little memory only the talk goes on") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.steps(100, 100);
  w.system.memory = 12000;
  w.steps(20, 100);
  const auto reports = count_of(w, "POST /context/sensors");
  w.steps(300, 100);
  CHECK(count_of(w, "POST /context/sensors") == reports);
  w.input(Input::Kind::kTap);
  CHECK(w.device->state() == S::kListening);
  CHECK(w.system.restarts == 0);
  w.system.memory = 100000;
  w.steps(100, 100);
  CHECK(count_of(w, "POST /context/sensors") > reports);
}

TEST_CASE("a device whose memory is gone restarts in a quiet moment, where that can help") {
  World w;
  w.boot();
  w.wifi();
  SUBCASE("it once had enough") {
    REQUIRE(w.reach(S::kIdle));
    w.steps(10, 100);
    w.system.memory = 1000;
    w.steps(500, 100);
    CHECK(w.system.restarts == 0);
    w.input(Input::Kind::kTap);
    REQUIRE(w.device->state() == S::kListening);
    w.steps(140, 100);
    CHECK(w.system.restarts == 0);  // not in the middle of a word
    REQUIRE(w.reach(S::kIdle));
    w.steps(2, 100);
    CHECK(w.system.restarts >= 1);
  }
  SUBCASE("it never had more") {
    w.system.memory = 1000;
    REQUIRE(w.reach(S::kIdle));
    w.steps(2000, 100);
    CHECK(w.system.restarts == 0);
  }
}

TEST_CASE("a face that was asked for outlives the reply that tells of it") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.say(R"({"type":"mcp","payload":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":)"
        R"({"name":"self.face.set_expression","arguments":{"expression":"sad"}}}})");
  w.say(R"({"type":"llm","emotion":"happy","text":"x"})");
  CHECK(w.view().emotion == Emotion::kSad);
  CHECK(w.view().posing);
  SUBCASE("for a while") {
    w.steps(110, 100);
    CHECK_FALSE(w.view().posing);
    CHECK(w.view().emotion != Emotion::kSad);
  }
  SUBCASE("or until a finger comes") {
    w.input(Input::Kind::kTap);
    CHECK_FALSE(w.view().posing);
  }
}

TEST_CASE("a setting that does not concern the way to the server leaves the session alone") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  const int opened = w.session.opened;
  Settings settings = load_settings(w.store);
  SUBCASE("the volume") {
    settings.volume = 33;
    REQUIRE(save_settings(w.store, settings));
    w.input(Input::Kind::kSettings);
    w.steps(300);
    CHECK(w.session.opened == opened);
    CHECK(w.view().volume == 33);
  }
  SUBCASE("another server") {
    settings.server = "http://10.0.0.3:8321";
    REQUIRE(save_settings(w.store, settings));
    w.input(Input::Kind::kSettings);
    w.steps(300);
    CHECK(w.session.opened > opened);
  }
}
