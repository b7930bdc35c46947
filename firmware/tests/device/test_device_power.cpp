// What power means to the whole device.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "device/scripted_world.h"
#include "lobug/device/light.h"

using namespace lobug;
using namespace lobug::test;
using S = DeviceState;

namespace {

struct Idle : World {
  explicit Idle(const std::function<void(World&)>& prepare = {}) {
    if (prepare) prepare(*this);
    boot();
    wifi();
    REQUIRE(reach(S::kIdle));
    battery(80);
  }
  void battery(int percent, bool powered = false) {
    BatteryReading reading;
    reading.known = percent >= 0;
    reading.percent = static_cast<std::uint8_t>(percent < 0 ? 0 : percent);
    reading.powered = powered;
    input(Input::Kind::kBattery, battery_value(reading));
  }
  /// Stays idle: the scripted server answers pings, as every server does.
  void quiet(int seconds) {
    for (int second = 0; second < seconds; ++second) {
      step(1000);
      session.deliver(std::string("\x8A\x00", 2));  // a pong
    }
  }
  PowerState power() { return view().power; }
};

}  // namespace

TEST_CASE("readings of the power chip cross to the device as they are") {
  for (int bits = 0; bits < 4; ++bits) {
    for (int percent = 0; percent <= 100; ++percent) {
      BatteryReading reading;
      reading.known = true;
      reading.percent = static_cast<std::uint8_t>(percent);
      reading.charging = (bits & 1) != 0;
      reading.powered = (bits & 2) != 0;
      const BatteryReading read = battery_of(battery_value(reading));
      CHECK(read.known);
      CHECK(read.percent == reading.percent);
      CHECK(read.charging == reading.charging);
      CHECK(read.powered == reading.powered);
    }
  }
  CHECK_FALSE(battery_of(battery_value(BatteryReading())).known);
}

TEST_CASE("left alone it goes dim and dark with its session open, and a tap only wakes it") {
  Idle w;
  w.quiet(10);
  CHECK(w.view().radio_sleeps);
  w.quiet(55);
  CHECK(w.power() == PowerState::kDim);
  CHECK(w.view().backlight == 17);
  CHECK(w.view().brightness == 70);  // what the owner has set
  w.quiet(245);
  CHECK(w.power() == PowerState::kDark);
  CHECK(w.view().backlight == 0);
  CHECK(w.device->state() == S::kIdle);
  const std::size_t said = w.texts.size();
  w.input(Input::Kind::kTap);
  CHECK(w.power() == PowerState::kAwake);
  CHECK(w.device->state() == S::kIdle);  // nobody meant to talk
  CHECK(w.texts.size() == said);
  w.input(Input::Kind::kTap);
  CHECK(w.device->state() == S::kListening);
  CHECK_FALSE(w.view().radio_sleeps);
}

TEST_CASE("a finger that comes down in the dark opens no microphone, whatever becomes of it") {
  for (const Input::Kind next : {Input::Kind::kTap, Input::Kind::kHoldBegin}) {
    CAPTURE(static_cast<int>(next));
    Idle w;
    w.quiet(310);
    REQUIRE(w.power() == PowerState::kDark);
    w.input(Input::Kind::kPress);
    CHECK(w.audio.wanted == AudioMode::kOff);
    w.input(next);
    CHECK(w.audio.wanted == AudioMode::kOff);
    CHECK(w.device->state() == S::kIdle);
    CHECK(w.power() == PowerState::kAwake);
    w.input(Input::Kind::kHoldEnd);
    CHECK(w.device->state() == S::kIdle);
    w.input(Input::Kind::kPress);
    CHECK(w.audio.wanted == AudioMode::kListen);
  }
}

TEST_CASE("a self-test lights the screen, which it measures, until it is over") {
  Idle w;
  w.quiet(310);
  REQUIRE(w.power() == PowerState::kDark);
  w.input(Input::Kind::kSelfTest);
  CHECK(w.power() == PowerState::kAwake);
  CHECK(w.view().self_test.phase == SelfTestState::Phase::kRunning);
  w.quiet(370);
  CHECK(w.view().self_test.phase != SelfTestState::Phase::kRunning);
  CHECK(w.power() == PowerState::kDark);
}

TEST_CASE("the lights go with the screen: dim, dark, and out before the device switches off") {
  Idle w([](World& world) {
    world.effects.driven = true;
    Settings settings = load_settings(world.store);
    settings.light = LightKind::kM5go;
    settings.brightness = 100;
    REQUIRE(save_settings(world.store, settings));
  });
  w.say(R"({"type":"mcp","payload":{"jsonrpc":"2.0","id":8,"method":"tools/call","params":)"
        R"({"name":"self.led.set_color","arguments":{"color":"red"}}}})");
  w.steps(10);
  CHECK(w.effects.shown.back()[0].red == Light::kMost);
  w.quiet(65);
  REQUIRE(w.power() == PowerState::kDim);
  CHECK(w.effects.shown.back()[0].red == Light::kMost / 4);
  w.quiet(245);
  REQUIRE(w.power() == PowerState::kDark);
  CHECK(w.effects.shown.back() == LedColors{});
  w.input(Input::Kind::kTap);
  w.steps(10);
  CHECK(w.effects.shown.back()[0].red == Light::kMost);
  w.battery(5);
  int rounds = 0;
  while (w.screen.view.read().power != PowerState::kSwitchedOff && rounds < 4000) {
    CHECK(w.effects.shown.back()[0].red > 0);
    w.step(10);
    ++rounds;
  }
  CHECK(rounds < 4000);
  CHECK(w.effects.shown.back() == LedColors{});  // in the step that says so
}

TEST_CASE("a knock wakes it") {
  Idle w;
  w.quiet(310);
  REQUIRE(w.power() == PowerState::kDark);
  Motion motion;
  motion.taps = 1;
  w.screen.motion.publish(motion);
  CHECK(w.power() == PowerState::kAwake);
  w.quiet(310);
  CHECK(w.power() == PowerState::kDark);  // the same knock does not count again
}

TEST_CASE("what the server says wakes it, and an alert stays to be read") {
  Idle w;
  w.quiet(310);
  REQUIRE(w.power() == PowerState::kDark);
  SUBCASE("speech") {
    w.say(R"({"type":"tts","state":"start"})");
    CHECK(w.device->state() == S::kSpeaking);
  }
  SUBCASE("an alert") {
    w.say(R"({"type":"alert","status":"Info","message":"Dinner is ready","emotion":"happy"})");
  }
  SUBCASE("a text") {
    w.say(R"({"type":"mcp","payload":{"jsonrpc":"2.0","id":8,"method":"tools/call","params":)"
          R"({"name":"self.screen.show_text","arguments":{"text":"Hello","seconds":0}}}})");
    CHECK(w.view().notice == "Hello");
  }
  CHECK(w.power() == PowerState::kAwake);
}

TEST_CASE("a timer that rings wakes it for as long as it rings") {
  Idle w;
  w.say(R"({"type":"mcp","payload":{"jsonrpc":"2.0","id":8,"method":"tools/call","params":)"
        R"({"name":"self.timer.start","arguments":{"seconds":400,"label":"tea"}}}})");
  w.quiet(390);
  REQUIRE(w.power() == PowerState::kDark);
  w.quiet(20);
  CHECK(w.power() == PowerState::kAwake);
  CHECK(w.view().ringing);
}

TEST_CASE("a text that stays for ever does not keep the screen on for ever") {
  Idle w;
  w.say(R"({"type":"mcp","payload":{"jsonrpc":"2.0","id":8,"method":"tools/call","params":)"
        R"({"name":"self.screen.show_text","arguments":{"text":"Hello","seconds":0}}}})");
  w.quiet(310);
  CHECK(w.power() == PowerState::kDark);
}

TEST_CASE("setup and pairing are seen, however long they take") {
  World w;
  w.store.values.clear();
  w.boot();
  BatteryReading reading;
  reading.known = true;
  reading.percent = 90;
  w.input(Input::Kind::kBattery, battery_value(reading));
  w.steps(2000, 1000);
  CHECK(w.device->state() == S::kSetup);
  CHECK(w.view().power == PowerState::kAwake);
}

TEST_CASE("settings count at once") {
  Idle w;
  Settings settings = load_settings(w.store);
  settings.power.dim_after_s = 20;
  settings.power.off_after_s = 40;
  settings.clock = false;
  REQUIRE(save_settings(w.store, settings));
  w.input(Input::Kind::kSettings);
  CHECK(w.device->state() == S::kIdle);
  CHECK_FALSE(w.view().clock);
  w.quiet(45);
  CHECK(w.power() == PowerState::kDark);
}

TEST_CASE("15 percent is said on the face, once") {
  Idle w;
  w.battery(15);
  w.quiet(25);
  CHECK(w.view().notice == "My battery is low. Please plug me in.");
  CHECK(w.power() == PowerState::kAwake);
  w.quiet(30);
  CHECK(w.view().notice.empty());
  w.battery(14);
  w.quiet(100);
  CHECK(w.view().notice.empty());
}

TEST_CASE("at 5 percent it says so, stores its timers and switches off") {
  Idle w;
  w.system.time_ms = 0;  // without a clock what is left counts
  w.say(R"({"type":"mcp","payload":{"jsonrpc":"2.0","id":8,"method":"tools/call","params":)"
        R"({"name":"self.timer.start","arguments":{"seconds":1000,"label":"tea"}}}})");
  w.input(Input::Kind::kVolume, 33);
  w.audio.beeps = 0;
  w.battery(5);
  w.quiet(21);
  CHECK(w.view().notice == "My battery is empty: I'm switching off. Timers are kept.");
  CHECK(w.power() == PowerState::kFarewell);
  CHECK(w.audio.beeps == 2);
  SUBCASE("plugged in, it stays on and says no more") {
    w.battery(5, true);
    CHECK(w.power() == PowerState::kAwake);
    CHECK(w.view().notice.empty());
    w.quiet(100);
    CHECK(w.power() != PowerState::kSwitchedOff);
  }
  SUBCASE("nobody plugs it in") {
    w.quiet(12);
    CHECK(w.power() == PowerState::kSwitchedOff);
    CHECK(w.view().backlight == 0);
    CHECK(w.stored("volume") == "33");
    CHECK(w.stored("timer_0") ==
          "0 970 1000 tea");  // it went on until the end  // of 1000 s, some 34 later
  }
}

TEST_CASE("a board that cannot say anything of its battery is left alone") {
  Idle w;
  w.battery(-1);
  w.quiet(4000);
  CHECK(w.power() == PowerState::kDim);
  CHECK(w.view().notice.empty());
  CHECK_FALSE(w.view().battery_known);
}
