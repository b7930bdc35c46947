// What the device tells the server of itself: its senses and its own condition.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "device/scripted_world.h"
#include "lobug/json/reader.h"
#include "support/text.h"

using namespace lobug;
using lobug::test::World;
using S = DeviceState;

namespace {

const char* const kBoth = R"({"sensors":true,"reports":true})";

std::vector<std::string> messages(const World& w, const std::string& type) {
  std::vector<std::string> found;
  for (const std::string& text : w.texts) {
    if (json::parse(text).member("type").is(type)) found.push_back(text);
  }
  return found;
}

std::int64_t posts(const World& w) {
  return std::count(w.requests.begin(), w.requests.end(), "POST /context/sensors");
}

void use_tls(World& w) {
  Settings settings = load_settings(w.store);
  settings.server = "https://10.0.0.2:8443";
  settings.ca = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n";
  REQUIRE(save_settings(w.store, settings));
  w.discovery =
      R"({"websocket":{"url":"wss://10.0.0.2:8443/xiaozhi/v1/","version":1,"token":"t0ken"}})";
}

}  // namespace

TEST_CASE("what is felt goes over the session, on a change and every five seconds") {
  World w;
  w.features = kBoth;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.steps(200, 100);  // 20 s
  const auto sent = messages(w, "sensors");
  CHECK(sent.size() >= 4);
  CHECK(sent.size() <= 5);
  CHECK(has(sent.front(), R"("session_id":"s1","type":"sensors","reading":{"orientation":)"));
  Motion motion;
  motion.orientation = Orientation::kFaceDown;
  motion.taps = 1;
  w.screen.motion.publish(motion);
  w.steps(8, 100);
  CHECK(has(messages(w, "sensors").back(), "face_down"));
  CHECK(has(messages(w, "sensors").back(), "\"tap_detected\":true"));
  w.steps(60, 100);
  CHECK(has(messages(w, "sensors").back(), "\"tap_detected\":false"));
  CHECK(posts(w) == 0);
}

TEST_CASE("a server that does not take sensors over the session gets them as before") {
  World w;
  w.features = R"({"reports":true})";
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.steps(200, 100);
  CHECK(posts(w) >= 4);
  CHECK(messages(w, "sensors").empty());
}

TEST_CASE("with TLS changes are told at once, also in a talk, and no second session is opened") {
  World w;
  w.features = kBoth;
  use_tls(w);
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.steps(20, 100);
  const int opened = w.http.opened;
  w.input(Input::Kind::kTap);
  REQUIRE(w.device->state() == S::kListening);
  const auto before = messages(w, "sensors").size();
  Motion motion;
  for (int change = 1; change <= 5; ++change) {
    motion.moving = change % 2 == 1;
    w.screen.motion.publish(motion);
    w.steps(6, 100);
  }
  CHECK(messages(w, "sensors").size() >= before + 5);
  CHECK(w.http.opened == opened);
}

TEST_CASE("with TLS there is one session at a time, also when the device looks for updates") {
  World w;
  w.features = kBoth;
  use_tls(w);
  bool both = false;
  w.boot();
  w.wifi();
  const auto live = [&w, &both](int rounds, Millis ms) {
    for (int round = 0; round < rounds; ++round) {
      w.step(ms);
      both = both || (w.http.is_open() && w.session.is_open());
      if (round % 20 == 0 && w.session.is_open()) w.session.deliver(text_frame("{}"));
    }
  };
  live(600, 10);
  REQUIRE(w.device->state() == S::kIdle);
  const int asked = w.http.opened;
  const int sessions = w.session.opened;
  live(22200, 1000);  // more than six hours
  CHECK(w.http.opened == asked + 1);
  CHECK(w.session.opened == sessions + 1);
  CHECK(w.device->state() == S::kIdle);
  CHECK_FALSE(both);
}

TEST_CASE("a report of the device's condition goes with the hello and every quarter of an hour") {
  World w;
  w.features = kBoth;
  w.vitals.reset = ResetReason::kTaskWatchdog;
  w.boot();
  w.steps(50, 100);
  w.wifi();
  w.input(Input::Kind::kWifiSignal, -61);
  REQUIRE(w.reach(S::kIdle));
  const auto hello = messages(w, "hello");
  REQUIRE(hello.size() == 1);
  CHECK(has(hello[0], R"("report":{"uptime_s":5,"reset":"task_watchdog","audio":{"gaps":0)"));
  CHECK(has(hello[0], R"("memory":{"free":200000,"largest":110000,"least":180000})"));
  CHECK(has(hello[0], R"("wifi":{"rssi":-61,"reconnects":0,"losses":{}})"));
  CHECK(messages(w, "report").empty());
  w.audio.late_ms = 250;
  w.audio.uplink_lost = 320;
  for (int half_minute = 0; half_minute < 62; ++half_minute) {
    w.session.deliver(text_frame("{}"));
    w.steps(30, 1000);
  }
  const auto reports = messages(w, "report");
  REQUIRE(reports.size() == 2);
  CHECK(has(reports[0], R"("session_id":"s1","type":"report","report":{"uptime_s":90)"));
  CHECK(has(reports[0], R"("late_ms":250,"dropped_ms":0,"unsent_ms":20)"));
}

TEST_CASE("a server that takes no reports is sent none over the session") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  for (int half_minute = 0; half_minute < 62; ++half_minute) {
    w.session.deliver(text_frame("{}"));
    w.steps(30, 1000);
  }
  CHECK(messages(w, "report").empty());
}

TEST_CASE("losses and returns of the Wi-Fi are in the next report") {
  World w;
  w.features = kBoth;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.input(Input::Kind::kWifiDown, wifi_down_value(false, 200));
  w.input(Input::Kind::kWifiDown, wifi_down_value(false, 201));
  w.input(Input::Kind::kWifiDown, wifi_down_value(false, 201));
  w.wifi();
  REQUIRE(w.reach(S::kIdle, 2000));
  CHECK(has(messages(w, "hello").back(), R"("reconnects":1,"losses":{"200":1,"201":2}})"));
}

TEST_CASE("the self-test runs while nobody talks, and gives way when somebody does") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.input(Input::Kind::kSelfTest);
  CHECK(w.view().self_test.phase == SelfTestState::Phase::kRunning);
  CHECK(w.audio.wanted.load() == AudioMode::kListen);
  w.input(Input::Kind::kTap);
  CHECK(w.device->state() == S::kListening);
  w.steps(10);
  CHECK(w.view().self_test.phase == SelfTestState::Phase::kStopped);
  CHECK(w.audio.wanted.load() == AudioMode::kListen);
  w.input(Input::Kind::kSelfTest);
  CHECK(w.view().self_test.phase == SelfTestState::Phase::kRefused);
  CHECK(w.device->state() == S::kListening);
  w.input(Input::Kind::kTap);
  REQUIRE(w.reach(S::kIdle, 2000));
  w.steps(200);
  w.input(Input::Kind::kSelfTest);
  // No audio thread here: microphone and speaker follow at once, and nothing is ever heard.
  w.steps(1500);
  CHECK(w.view().self_test.phase == SelfTestState::Phase::kDone);
  CHECK(w.audio.wanted.load() == AudioMode::kOff);
}

TEST_CASE("the self-test needs no server, and is not disturbed by the search for one") {
  World w;
  w.socket_status = 503;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kOffline));
  w.steps(500, 100);
  w.input(Input::Kind::kSelfTest);
  const int opened = w.http.opened + w.session.opened;
  for (int round = 0; round < 300; ++round) {
    if (w.view().self_test.phase != SelfTestState::Phase::kRunning) break;
    CHECK(w.http.opened + w.session.opened == opened);
  }
  CHECK(w.view().self_test.phase == SelfTestState::Phase::kDone);
  w.steps(700, 100);
  CHECK(w.http.opened + w.session.opened > opened);
}

TEST_CASE("the end of the session interrupts the self-test and closes the microphone") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.input(Input::Kind::kSelfTest);
  w.steps(5);
  w.session.lose();
  w.steps(10);
  CHECK(w.view().self_test.phase == SelfTestState::Phase::kStopped);
  CHECK(w.audio.wanted.load() == AudioMode::kOff);
}
