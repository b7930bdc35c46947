// What a body is to the whole device.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "device/scripted_world.h"
#include "support/text.h"

using namespace lobug;
using namespace lobug::test;
using S = DeviceState;
using OrderKind = ScriptedBody::Order::Kind;

namespace {

/// Idle on StackChan's base, its head lifted and let go again.
struct OnBase : World {
  explicit OnBase(const std::function<void(World&)>& prepare = {}) {
    servos.base = effects.found = true;
    if (prepare) prepare(*this);
    boot();
    wifi();
    REQUIRE(reach(S::kIdle));
    steps(300);
  }
  void set(const char* name, const char* value) {
    Settings settings = load_settings(store);
    REQUIRE(set_setting(settings, name, value).ok);
    REQUIRE(save_settings(store, settings));
  }
  bool last_says(const char* word) { return texts.back().find(word) != std::string::npos; }
};

}  // namespace

TEST_CASE("a tool turns the head, whose servos are off before and after") {
  OnBase w;
  CHECK(w.view().body.kind == BodyKind::kStackChan);
  CHECK_FALSE(w.servos.supplied);
  w.say(tool_call("self.body.set_gaze", R"({"direction":"right","angle":45})"));
  CHECK(w.last_says("true"));
  w.steps(100);
  CHECK(w.servos.supplied);
  CHECK(w.view().body.moves);
  w.steps(300);
  CHECK(w.view().body.at.yaw == 450);
  CHECK(w.servos.positions[0] == 460 + 144);
  CHECK_FALSE(w.servos.supplied);
  CHECK_FALSE(w.view().body.moves);
}

TEST_CASE("without a body there is no tool for one, and no pin is touched") {
  for (const char* const body : {"auto", "none"}) {
    OnBase w([&](World& world) {
      world.servos.base = std::string(body) == "none";
      Settings settings = load_settings(world.store);
      REQUIRE(set_setting(settings, "body", body).ok);
      REQUIRE(save_settings(world.store, settings));
    });
    w.say(tool_call("self.body.gesture", R"({"gesture":"nod"})"));
    CHECK(w.last_says("there is no such tool"));
    w.steps(300);
    CHECK(w.servos.orders.empty());
    CHECK(w.view().body.kind == BodyKind::kNone);
  }
}

TEST_CASE("another body takes effect when it is set") {
  OnBase w;
  w.set("body", "port_a");
  w.input(Input::Kind::kSettings);
  w.steps(300);
  CHECK(w.view().body.kind == BodyKind::kPortA);
  CHECK(w.servos.opened == BodyKind::kPortA);
  CHECK_FALSE(w.servos.values(OrderKind::kPulse, 0).empty());
  w.set("body", "none");
  w.input(Input::Kind::kSettings);
  CHECK(w.view().body.kind == BodyKind::kNone);
  CHECK(w.servos.opened == BodyKind::kNone);
}

TEST_CASE("with a low battery the model is told why the head stays still") {
  OnBase w;
  BatteryReading reading;
  reading.known = true;
  reading.percent = 14;
  w.input(Input::Kind::kBattery, battery_value(reading));
  w.steps(2300);  // a level counts when it lasts
  w.say(tool_call("self.body.gesture", R"({"gesture":"nod"})"));
  CHECK(w.last_says("My head stays still to save power."));
  CHECK(w.last_says("\"isError\":true"));
  w.steps(300);
  CHECK_FALSE(w.servos.supplied);
  reading.powered = true;
  w.input(Input::Kind::kBattery, battery_value(reading));
  w.say(tool_call("self.body.gesture", R"({"gesture":"nod"})"));
  CHECK(w.last_says("true"));
}

TEST_CASE("while its microphone is open no servo is strong") {
  OnBase w;
  w.say(tool_call("self.body.gesture", R"({"gesture":"dance","times":5})"));
  w.steps(100);
  CHECK(w.servos.supplied);
  w.input(Input::Kind::kTap);
  REQUIRE(w.device->state() == S::kListening);
  w.steps(80);
  CHECK_FALSE(w.servos.supplied);
}

TEST_CASE("a hand on the head wakes it, and it shows that it likes it") {
  OnBase w;
  BatteryReading reading;
  reading.known = true;
  reading.percent = 80;
  w.input(Input::Kind::kBattery, battery_value(reading));
  for (int second = 0; second < 310; ++second) {
    w.step(1000);
    w.session.deliver(std::string("\x8A\x00", 2));  // a pong
  }
  REQUIRE(w.view().power == PowerState::kDark);
  w.servos.hand = 0x05;
  w.steps(20);
  CHECK(w.view().power == PowerState::kAwake);
  CHECK(w.view().emotion == Emotion::kLoving);
  CHECK(w.device->state() == S::kIdle);  // it is no tap
}

TEST_CASE("an offset that fingers have found is kept") {
  OnBase w;
  w.input(Input::Kind::kCalibrate, 1);
  for (int tap = 0; tap < 4; ++tap) w.input(Input::Kind::kYawOffset, -1);
  w.input(Input::Kind::kPitchOffset, 2);
  CHECK(w.view().body.calibration.offset == Attitude{-40, 20});
  w.steps(100);
  CHECK(w.servos.supplied);
  CHECK(w.servos.positions[0] == 460 - 12);
  w.steps(200);
  CHECK(w.stored("yaw_offset") == "-4");
  CHECK(w.stored("pitch_offset") == "2");
  for (int tap = 0; tap < 60; ++tap) w.input(Input::Kind::kYawOffset, 1);
  CHECK(w.view().body.calibration.offset.yaw == kMostOffset);
  w.input(Input::Kind::kCalibrate, 0);
  w.steps(100);
  CHECK_FALSE(w.servos.supplied);
}

TEST_CASE("its own movement is not told to the server, and keeps nothing awake") {
  OnBase w;
  Motion motion;
  w.say(tool_call("self.body.gesture", R"({"gesture":"dance","times":3})"));
  w.steps(60);
  motion.taps = 2;
  motion.moving = true;
  w.screen.motion.publish(motion);
  w.steps(20);
  w.say(tool_call("self.get_motion", "{}"));
  CHECK(w.last_says("\\\"moving\\\":false"));
}

TEST_CASE("servos that do not answer are logged once") {
  OnBase w([](World& world) { world.servos.dead = true; });
  w.steps(6000);
  int logged = 0;
  for (const std::string& line : w.system.lines) {
    if (line == "the body's servos do not answer") ++logged;
  }
  CHECK(logged == 1);
  CHECK(w.view().body.silent);
  w.say(tool_call("self.body.gesture", R"({"gesture":"nod"})"));
  CHECK(w.last_says("The servos of my head don't answer."));
}

TEST_CASE("the lights of a base are found without a setting") {
  OnBase w;
  CHECK_FALSE(w.effects.shown.empty());
  w.say(tool_call("self.led.set_color", R"({"color":"red"})"));
  CHECK(w.last_says("true"));
}
