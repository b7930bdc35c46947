#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "fake_wifi.h"
#include "support/memory_store.h"
#include "wifi_keeper.h"

namespace lobug {
namespace {

constexpr Millis kStepMs = 20;
constexpr Millis kMinute = 60000;

/// Random numbers of which it is written down when they were drawn.
class NotedRandom final : public Random {
public:
  std::uint32_t next() override {
    air.calls.emplace_back("random");
    return 4200000042U;
  }
};

struct Rig {
  MemoryStore store;
  NotedRandom random;
  Queue<Input, 16> inputs;
  WifiKeeper keeper{store, random, inputs};
  Millis now = 0xFFFFF000U; // deadlines lie behind the clock's wrap
  bool setup = true;

  Rig() {
    air = Air();
    keeper.begin("Lo-Bug-1234");
  }
  void live(Millis ms) {
    for (Millis lived = 0; lived < ms; lived += kStepMs) {
      keeper.step(setup, now);
      now += kStepMs;
    }
  }
  /// How often it was told that somebody is there, since it was last asked.
  int tellings() { return told(Input::Kind::kSetupGuest); }
  int told(Input::Kind kind) {
    int count = 0;
    Input input;
    while (inputs.pop(input))
      count += input.kind == kind ? 1 : 0;
    return count;
  }
};

TEST_CASE("the device has its name before the radio is switched to anything") {
  for (const bool setup : {false, true}) {
    CAPTURE(setup);
    Rig rig;
    REQUIRE(rig.store.put("wifi_name", "Home"));
    rig.setup = setup;
    rig.live(1000);
    CHECK(air.count("mode ") > 0);
    CHECK(air.count("hostname ") == 1);
    CHECK(air.first("hostname Lo-Bug-1234") < air.first("mode "));
  }
}

TEST_CASE("the portal's key is drawn while the radio is on, for each opening") {
  Rig rig;
  rig.live(1000);
  CHECK(air.count("random") == 1);
  CHECK(air.first("mode 3") < air.first("random"));
  CHECK(air.first("random") < air.first("softAP 00000042"));
  rig.setup = false;
  rig.live(5000);
  rig.setup = true;
  rig.live(1000);
  CHECK(air.count("random") == 2);
  CHECK(air.count("softAP ") == 2);
}

TEST_CASE("without a radio there is no key and no portal; it is tried again") {
  Rig rig;
  air.has_radio = false;
  rig.live(1000);
  CHECK(air.count("random") == 0);
  CHECK(air.count("softAP ") == 0);
  View view;
  rig.keeper.describe(view);
  CHECK(view.setup_network.empty());
  CHECK(view.setup_key.empty());
  air.has_radio = true;
  rig.live(5000);
  CHECK(air.count("softAP ") == 1);
  rig.keeper.describe(view);
  CHECK(view.setup_network == "Lo-Bug-1234");
  CHECK(view.setup_key == "00000042");
}

TEST_CASE("while nobody is there it looks for networks again and again") {
  Rig rig;
  rig.live(kMinute);
  CHECK(air.count("scan") == 3);
  CHECK(air.listed == "Home\n");
  air.networks = {"Home", "Cafe"};
  rig.live(kMinute);
  CHECK(air.count("scan") == 6);
  CHECK(air.listed == "Home\nCafe\n");
}

TEST_CASE("once there is a list, a guest is not left for another") {
  Rig rig;
  rig.live(1000);
  CHECK(air.count("scan") == 1);
  air.guests = 1;
  rig.live(5 * kMinute);
  CHECK(air.count("scan") == 1);
  CHECK(air.listed == "Home\n");
  air.guests = 0;
  rig.live(kMinute / 2);
  CHECK(air.count("scan") > 1);
}

TEST_CASE(
    "without a list even a guest waits for one; each opening makes its own") {
  Rig rig;
  air.guests = 1;
  air.networks.clear();
  rig.live(kMinute);
  CHECK(air.count("scan") == 3);
  air.networks = {"Home"};
  rig.live(kMinute);
  CHECK(air.count("scan") == 4);
  CHECK(air.listed == "Home\n");
  rig.setup = false;
  rig.live(5000);
  rig.setup = true;
  rig.live(kMinute);
  CHECK(air.count("scan") == 5);
}

TEST_CASE("a guest is told once a minute, as long as the portal is open") {
  Rig rig;
  rig.live(5 * kMinute + kMinute / 2);
  CHECK(rig.tellings() == 0);
  air.guests = 2;
  rig.live(5000 + kStepMs); // soon: setup may be about to end
  CHECK(rig.tellings() == 1);
  rig.live(10 * kMinute);
  CHECK(rig.tellings() == 10);
  air.guests = 0;
  rig.live(5 * kMinute);
  CHECK(rig.tellings() == 0);
  air.guests = 1;
  rig.setup = false;
  rig.live(5000);
  (void)rig.tellings();
  rig.live(5 * kMinute);
  CHECK(rig.tellings() == 0);
}

TEST_CASE("the Wi-Fi that was tried is told when it is seen, unless somebody "
          "is on the page") {
  Rig rig;
  REQUIRE(rig.store.put("wifi_name", "Home"));
  air.networks = {"Cafe"};
  rig.setup = false;
  rig.live(1000);
  rig.setup = true;
  rig.live(kMinute);
  CHECK(rig.told(Input::Kind::kWifiSeen) == 0);
  air.networks = {"Cafe", "Home"};
  rig.live(kMinute / 2);
  CHECK(rig.told(Input::Kind::kWifiSeen) > 0);
  air.guests = 1;
  rig.live(5 * kMinute);
  CHECK(rig.told(Input::Kind::kWifiSeen) == 0);
}

std::string names(const WifiKeeper& keeper) {
  std::string text;
  for (const WifiNetwork& network : keeper.networks()) {
    text += std::string(network.name.view()) + (network.secured ? "" : " open") + " ";
    text += std::to_string(network.dbm) + ";";
  }
  return text;
}

TEST_CASE("the serial line gets the networks, each name once, from the portal's radio") {
  Rig rig;
  air.networks = {"Home", "Cafe", "Home", ""};
  rig.live(1000);
  CHECK(names(rig.keeper) == "Home -40;Cafe open -41;");
  air.networks = {"Cafe"};
  CHECK(rig.keeper.look(rig.now));
  CHECK(rig.keeper.is_looking());
  rig.live(100);
  CHECK(!rig.keeper.is_looking());
  CHECK(names(rig.keeper) == "Cafe open -40;");
  // A phone on the page is not left for that.
  air.guests = 1;
  const std::size_t scans = air.count("scan");
  CHECK(!rig.keeper.look(rig.now));
  rig.live(1000);
  CHECK(air.count("scan") == scans);
}

TEST_CASE("more networks than there is room for") {
  Rig rig;
  air.networks.clear();
  for (int n = 0; n < 40; ++n) air.networks.push_back("Net " + std::to_string(n));
  rig.live(1000);
  CHECK(rig.keeper.networks().size() == 20);
}

TEST_CASE("the serial line gets the networks while the device is in its Wi-Fi") {
  Rig rig;
  REQUIRE(rig.store.put("wifi_name", "Home"));
  rig.setup = false;
  rig.live(100);
  CHECK(rig.keeper.look(rig.now));
  CHECK(rig.keeper.look(rig.now));
  rig.live(100);
  CHECK(air.count("scan") == 1);
  CHECK(!rig.keeper.is_looking());
  CHECK(names(rig.keeper) == "Home -40;");
}

TEST_CASE("how joining goes is told of what is stored by now") {
  using Link = Wifi::Link;
  Rig rig;
  rig.setup = false;
  rig.live(100);
  CHECK(rig.keeper.link() == Link::kNone);
  REQUIRE(rig.store.put("wifi_name", "Home"));
  REQUIRE(rig.store.put("wifi_password", "wrong word"));
  rig.keeper.reload_if_changed();
  CHECK(rig.keeper.link() == Link::kJoining);
  rig.live(100);
  for (int refusal = 0; refusal < 2; ++refusal) {
    CHECK(rig.keeper.link() == Link::kJoining);
    air.tell(ARDUINO_EVENT_WIFI_STA_DISCONNECTED, WIFI_REASON_AUTH_FAIL);
    rig.live(100);
  }
  CHECK(rig.keeper.link() == Link::kRefused);
  REQUIRE(rig.store.put("wifi_password", "right word"));
  rig.keeper.reload_if_changed();
  CHECK(rig.keeper.link() == Link::kJoining);
  rig.live(100);
  air.tell(ARDUINO_EVENT_WIFI_STA_GOT_IP, 0);
  rig.live(100);
  CHECK(rig.keeper.link() == Link::kUp);
  // Another one: what is up is not what is asked for.
  REQUIRE(rig.store.put("wifi_name", "Cafe"));
  rig.keeper.reload_if_changed();
  CHECK(rig.keeper.link() == Link::kJoining);
}

TEST_CASE("what finds no room in the queue is told a little later") {
  Rig rig;
  air.guests = 1;
  Input other;
  while (rig.inputs.push(other))
    continue;
  rig.live(1000);
  CHECK(rig.tellings() == 0);
  rig.live(5000);
  CHECK(rig.tellings() == 1);
}

TEST_CASE("the radio sleeps when it may, once it has joined, and is awake "
          "while it joins") {
  Rig rig;
  REQUIRE(rig.store.put("wifi_name", "Home"));
  rig.setup = false;
  rig.keeper.let_radio_sleep(true);
  rig.live(1000);
  rig.keeper.let_radio_sleep(true);
  CHECK(air.count("sleep on") == 0);
  CHECK(air.first("sleep off") < air.first("begin"));
  give_address();
  rig.live(100);
  rig.keeper.let_radio_sleep(true);
  rig.keeper.let_radio_sleep(true);
  CHECK(air.count("sleep on") == 1);
  CHECK(air.calls.back() == "sleep on");
  rig.keeper.let_radio_sleep(false);
  CHECK(air.calls.back() == "sleep off");
  rig.keeper.let_radio_sleep(true);
  CHECK(air.calls.back() == "sleep on");
  rig.setup = true; // an access point of its own
  rig.live(1000);
  rig.keeper.let_radio_sleep(true);
  CHECK(air.calls.back() != "sleep on");
  CHECK(air.count("sleep off") == 3);
}

} // namespace
} // namespace lobug
