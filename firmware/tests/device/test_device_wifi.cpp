// A Wi-Fi that does not let the device in, or is not there: the way back to the setup page.
#include <doctest/doctest.h>

#include "device/scripted_world.h"

using namespace lobug;
using lobug::test::World;
using S = DeviceState;

namespace {

// As WifiWatch counts them.
constexpr int kRefusals = 3;
constexpr int kMissingS = 180;
constexpr int kSetupAgainS = 600;
constexpr int kStays = 30;

void wait(World& world, int seconds) { world.steps(seconds, 1000); }

// What the Wi-Fi's thread says of a network that is not there, again and again.
void miss(World& world, int seconds) {
  for (int passed = 0; passed < seconds; passed += 10) {
    world.input(Input::Kind::kWifiDown);
    wait(world, 10);
  }
}

}  // namespace

TEST_CASE("a password that was mistyped can be typed again") {
  World w;
  w.boot();
  for (int refusal = 1; refusal < kRefusals; ++refusal) {
    w.input(Input::Kind::kWifiDown, 1);
    CHECK(w.device->state() == S::kOffline);
  }
  w.input(Input::Kind::kWifiDown, 1);
  CHECK(w.device->state() == S::kSetup);
  CHECK(w.view().trouble == Trouble::kWrongPassword);
  SUBCASE("with the right one it goes on") {
    w.input(Input::Kind::kSettings);
    CHECK(w.device->state() == S::kJoining);
    CHECK(w.view().trouble == Trouble::kNone);
    w.wifi();
    REQUIRE(w.reach(S::kIdle));
    w.steps(80, 10000);
    CHECK(w.device->state() != S::kSetup);
  }
  SUBCASE("nobody does: what is stored is tried again, as often as before") {
    w.steps(59, 10000);
    CHECK(w.device->state() == S::kSetup);
    w.steps(2, 10000);
    CHECK(w.device->state() == S::kJoining);
    for (int refusal = 0; refusal < kRefusals; ++refusal) {
      CHECK(w.device->state() != S::kSetup);
      w.input(Input::Kind::kWifiDown, 1);
    }
    CHECK(w.device->state() == S::kSetup);
  }
  SUBCASE("one that has served is believed") {
    w.input(Input::Kind::kSettings);
    w.wifi();
    REQUIRE(w.reach(S::kIdle));
    for (int refusal = 0; refusal < 5; ++refusal) w.input(Input::Kind::kWifiDown, 1);
    CHECK(w.device->state() == S::kOffline);
  }
}

TEST_CASE("a Wi-Fi that is not there can be typed anew, without a cable") {
  World w;
  w.boot();
  miss(w, kMissingS - 20);
  CHECK(w.device->state() == S::kOffline);
  CHECK(w.view().trouble == Trouble::kNoWifi);
  miss(w, 40);
  REQUIRE(w.device->state() == S::kSetup);
  CHECK(w.view().trouble == Trouble::kNoWifi);
  SUBCASE("it was only late: it is tried as soon as it is seen") {
    w.input(Input::Kind::kWifiSeen);
    CHECK(w.device->state() == S::kJoining);
    w.wifi();
    REQUIRE(w.reach(S::kIdle));
    wait(w, kMissingS + kSetupAgainS);
    CHECK(w.device->state() == S::kIdle);
  }
  SUBCASE("it is there and lets nobody in: the page is not taken away again and again") {
    w.input(Input::Kind::kWifiSeen);
    miss(w, kMissingS + 20);
    REQUIRE(w.device->state() == S::kSetup);
    w.input(Input::Kind::kWifiSeen);
    CHECK(w.device->state() == S::kSetup);
  }
  SUBCASE("nobody comes: it is tried again, then the page opens again") {
    wait(w, kSetupAgainS + 1);
    CHECK(w.device->state() == S::kJoining);
    miss(w, kMissingS + 20);
    CHECK(w.device->state() == S::kSetup);
  }
  SUBCASE("another one is chosen") {
    w.input(Input::Kind::kSettings);
    CHECK(w.device->state() == S::kJoining);
    CHECK(w.view().trouble == Trouble::kNone);
  }
}

TEST_CASE("a Wi-Fi that has served since the start is waited for, however long it is away") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  miss(w, 3600);
  CHECK(w.device->state() == S::kOffline);
}

TEST_CASE("a password that was refused is not tried because the Wi-Fi is seen") {
  World w;
  w.boot();
  for (int refusal = 0; refusal < kRefusals; ++refusal) w.input(Input::Kind::kWifiDown, 1);
  REQUIRE(w.device->state() == S::kSetup);
  w.input(Input::Kind::kWifiSeen);
  CHECK(w.device->state() == S::kSetup);
}

TEST_CASE("nobody is thrown off the setup page while they type, but it does not stay for ever") {
  World w;
  w.boot();
  for (int refusal = 0; refusal < kRefusals; ++refusal) w.input(Input::Kind::kWifiDown, 1);
  int minutes = 0;
  while (w.device->state() == S::kSetup && minutes < 100) {
    w.input(Input::Kind::kSetupGuest);
    wait(w, 60);
    ++minutes;
  }
  CHECK(minutes > kSetupAgainS / 60 + 10);
  CHECK(minutes < kStays + 5);
}

TEST_CASE("a new device stays in its setup, whoever comes and goes") {
  World w;
  w.store.values.clear();
  w.boot();
  for (int minute = 0; minute < 60; ++minute) {
    w.input(Input::Kind::kSetupGuest);
    wait(w, 60);
  }
  CHECK(w.device->state() == S::kSetup);
}

TEST_CASE("a Wi-Fi that goes while the code is shown is said, and the code comes again with it") {
  World w;
  w.discovery = R"({"activation":{"code":"123456","timeout_ms":60000}})";
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kPairing));
  w.input(Input::Kind::kWifiDown);
  CHECK(w.device->state() == S::kOffline);
  CHECK(w.view().trouble == Trouble::kNoWifi);
  CHECK(w.view().code.empty());
  w.wifi();
  CHECK(w.reach(S::kPairing));
  CHECK(w.view().code == "123456");
}
