// How a device learns the time, and that a wrong clock does not lock it out.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "device/scripted_world.h"
#include "lobug/device/wall_clock.h"

using namespace lobug;
using namespace lobug::test;
using S = DeviceState;

namespace {

constexpr std::int64_t kNow = 1760000000;  // of the scripted server: 2025-10-09 08:53:20
constexpr std::int64_t kYear = 365 * 86400;

/// An https server of the owner's CA, whose certificate is valid around `kNow`.
struct Https : World {
  std::int64_t valid_from = kNow - 86400;
  std::int64_t valid_to = kNow + 86400;

  Https() {
    Settings settings = load_settings(store);
    settings.server = "https://10.0.0.2:8322";
    settings.ca = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n";
    REQUIRE(save_settings(store, settings));
    discovery = R"({"websocket":{"url":"wss://10.0.0.2:8322/xiaozhi/v1/","token":"t0ken"},)"
                R"("server_time":{"timestamp":1760000000000,"timezone_offset":120}})";
    const auto judge = [this](const Endpoint& endpoint) {
      const std::int64_t today = system.time_ms / 1000;
      const bool valid = today >= valid_from && today <= valid_to;
      return !endpoint.tls || endpoint.any_date || valid ? ConnectionFailure::kNone
                                                         : ConnectionFailure::kOutdated;
    };
    http.judge = judge;
    session.judge = judge;
  }
  long asked_time() const { return std::count(requests.begin(), requests.end(), "GET /health"); }
};

}  // namespace

TEST_CASE("without a clock an https server is asked for the time before anything else") {
  Https w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  CHECK(w.requests.front() == "GET /health");
  CHECK(w.asked_time() == 1);
  // Whose certificate is out of date perhaps is told nothing but that.
  for (const char* const secret : {"Authorization", "Client-Id", "Device-Id", "aa:bb"}) {
    CAPTURE(secret);
    CHECK(w.heads.front().find(secret) == std::string::npos);
  }
  CHECK(w.system.time_ms / 1000 == kNow);
  CHECK(w.view().notice.empty());
}

TEST_CASE("a clock that is right asks nobody") {
  Https w;
  w.system.time_ms = (kNow + 3600) * 1000;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  CHECK(w.asked_time() == 0);
}

TEST_CASE("a clock that is wrong is put right, and that is said") {
  for (const std::int64_t wrong : {kNow - kYear, kNow + 10 * kYear}) {
    CAPTURE(wrong);
    Https w;
    w.system.time_ms = wrong * 1000;
    w.boot();
    w.wifi();
    REQUIRE(w.reach(S::kIdle));
    CHECK(w.asked_time() == 1);
    CHECK(w.system.time_ms / 1000 == kNow);
    CHECK(w.view().notice == "My clock was wrong. I've set it by my server's.");
  }
}

TEST_CASE("a certificate that has expired is not trusted, whatever the clock says") {
  Https w;
  w.valid_to = kNow - 1;
  SUBCASE("no clock") {}
  SUBCASE("a clock that is right") { w.system.time_ms = kNow * 1000; }
  SUBCASE("a clock that is behind") { w.system.time_ms = (kNow - 2 * kYear) * 1000; }
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kOffline));
  CHECK(w.view().trouble == Trouble::kOutdated);
  CHECK(w.asked_time() == 1);
  CHECK(std::count(w.requests.begin(), w.requests.end(), "POST /xiaozhi/ota/") == 0);
  CHECK(w.session.opened == 0);
  w.steps(300, 1000);
  CHECK(w.device->state() != S::kIdle);
}

TEST_CASE("once the server has told the time, an expired certificate is that") {
  Https w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.valid_to = kNow - 1;
  w.session.lose();
  REQUIRE(w.reach(S::kOffline));
  w.steps(600, 1000);
  CHECK(w.device->state() != S::kIdle);
  CHECK(w.view().trouble == Trouble::kOutdated);
  CHECK(w.asked_time() == 1);  // at the start alone
}

TEST_CASE("a server that does not say what time it is cannot be trusted without a clock") {
  Https w;
  SUBCASE("no date") { w.date = ""; }
  SUBCASE("a date that is none") { w.date = "yesterday"; }
  SUBCASE("a date before there was a firmware") { w.date = "Thu, 01 Jan 1970 00:00:01 GMT"; }
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kOffline));
  CHECK(w.view().trouble == Trouble::kOutdated);
  CHECK(w.system.time_ms == 0);
}

TEST_CASE("an untrusted certificate is not asked for the time") {
  Https w;
  w.http.judge = [](const Endpoint&) { return ConnectionFailure::kUntrusted; };
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kOffline));
  CHECK(w.view().trouble == Trouble::kUntrusted);
  CHECK(w.requests.empty());
}

TEST_CASE("a plain server is not asked, its discovery tells the time") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  CHECK(w.requests.front() == "POST /xiaozhi/ota/");
  CHECK(w.system.time_ms == 1760000000000);
}

TEST_CASE("rubbish in the clock chip is no time") {
  World w;
  w.system.time_ms = 946684800000;  // 2000, where a chip begins
  w.boot();
  CHECK(w.system.time_ms == 0);
  CHECK(w.view().minute_of_day == -1);
  CHECK(w.view().date == CalendarDay{});
}

TEST_CASE("the screen's clock is the server's local time, also after a restart") {
  World w;
  w.discovery = R"({"websocket":{"url":"ws://10.0.0.2:8321/xiaozhi/v1/","token":"t0ken"},)"
                R"("server_time":{"timestamp":1760000000000,"timezone_offset":-600}})";
  w.boot();
  CHECK(w.view().minute_of_day == -1);
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  CHECK(w.view().minute_of_day == 22 * 60 + 53);
  CHECK(w.view().date == CalendarDay{3, 8, 10});
  CHECK(w.view().clock);
  w.device.reset();
  w.system.time_ms += 3'600'000;
  w.boot();
  CHECK(w.view().minute_of_day == 23 * 60 + 53);
  w.device.reset();
  for (const char* const rubbish : {"x", "99999", "-1441", ""}) {
    w.store.values["utc_offset"] = rubbish;
    w.boot();
    CHECK(w.view().minute_of_day == 9 * 60 + 53);
  }
}

TEST_CASE("the longest date fits") {
  World w;
  w.system.time_ms = 1789516800000;  // Wednesday, 2026-09-16
  w.boot();
  CHECK(w.view().date == CalendarDay{3, 16, 9});
}

TEST_CASE("a server's time that is none changes nothing") {
  World w;
  w.system.time_ms = 1760000500000;
  w.discovery = R"({"websocket":{"url":"ws://10.0.0.2:8321/xiaozhi/v1/","token":"t0ken"},)"
                R"("server_time":{"timestamp":12345,"timezone_offset":120}})";
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  CHECK(w.system.time_ms == 1760000500000);
}
