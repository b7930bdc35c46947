#include "lobug/device/light.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "device/scripted_world.h"

using namespace lobug;
using lobug::test::ScriptedLights;
using lobug::test::World;
using S = DeviceState;

namespace {

constexpr LedColors kDark{};

bool all_alike(const LedColors& colors) {
  return std::all_of(colors.begin(), colors.end(),
                     [&](const LedColor& color) { return color == colors[0]; });
}

int brightness_of(const LedColor& color) {
  return static_cast<int>(color.red) + color.green + color.blue;
}

int brightest(const LedColors& colors) {
  int most = 0;
  for (const LedColor& color : colors) {
    most = std::max({most, int{color.red}, int{color.green}, int{color.blue}});
  }
  return most;
}

/// A Light with ten lights behind it, and a clock.
struct Lamp {
  Light light;
  ScriptedLights effects;
  Millis now = 1000;
  std::uint8_t brightness = 100;

  /// Runs for so long in that state; what is shown at its end.
  LedColors run(S state, Millis ms, bool on = true) {
    const Millis end = now + ms;
    do {
      light.step(effects, on, state, brightness, now);
      now += 10;
    } while (static_cast<std::int32_t>(end - now) > 0);
    return effects.shown.empty() ? kDark : effects.shown.back();
  }
};

std::string set_color(const std::string& color) {
  return R"({"type":"mcp","payload":{"jsonrpc":"2.0","id":8,"method":"tools/call","params":)"
         R"({"name":"self.led.set_color","arguments":{"color":")" +
         color + R"("}}}})";
}

}  // namespace

TEST_CASE("what waits for something goes round; all else breathes, each state in its own colour") {
  for (std::uint8_t number = 0; number < kDeviceStateCount; ++number) {
    const auto state = static_cast<S>(number);
    CAPTURE(std::string(name_of(state)));
    const bool circles = state == S::kStarting || state == S::kJoining || state == S::kFinding ||
                         state == S::kConnecting || state == S::kThinking || state == S::kUpdating;
    int least = 1000;
    int most = 0;
    for (Millis age = 0; age < 12000; age += 50) {
      const LedColors colors = light_pattern(state, age);
      CHECK(all_alike(colors) == !circles);
      if (circles) {
        // A head, its tail of two, and seven that are dark.
        CHECK(std::count(colors.begin(), colors.end(), LedColor{}) == 7);
      }
      least = std::min(least, brightness_of(colors[0]));
      most = std::max(most, brightness_of(colors[0]));
    }
    CHECK(most > least + 40);
  }
  CHECK(light_pattern(S::kListening, 500) != light_pattern(S::kSpeaking, 250));
}

TEST_CASE("while the microphone is open the lights are never dark, and never jump") {
  LedColors before = light_pattern(S::kListening, 0);
  for (Millis age = 0; age < 4000; age += Light::kStepMs) {
    const LedColors colors = light_pattern(S::kListening, age);
    CHECK(colors[0].green >= 140);
    CHECK(std::abs(int{colors[0].green} - int{before[0].green}) < 20);
    before = colors;
  }
}

TEST_CASE("a point goes round all ten lights, one after the other") {
  for (std::size_t place = 0; place < kLedCount; ++place) {
    const LedColors colors = light_pattern(S::kThinking, static_cast<Millis>(place) * 120 + 60);
    for (std::size_t other = 0; other < kLedCount; ++other) {
      if (other != place) CHECK(brightness_of(colors[other]) < brightness_of(colors[place]));
    }
  }
}

TEST_CASE("no colour of any light is brighter than the limit, whatever is shown or asked for") {
  constexpr std::uint8_t kBrightnesses[] = {100, 50, 1, 0, 255};
  for (const std::uint8_t brightness : kBrightnesses) {
    for (std::uint8_t number = 0; number <= kDeviceStateCount; ++number) {
      Lamp lamp;
      lamp.brightness = brightness;
      const bool asked = number == kDeviceStateCount;
      if (asked) lamp.light.set_color({255, 255, 255});
      lamp.run(asked ? S::kIdle : static_cast<S>(number), 7000);
      REQUIRE_FALSE(lamp.effects.shown.empty());
      int most = 0;
      for (const LedColors& colors : lamp.effects.shown) most = std::max(most, brightest(colors));
      CAPTURE(int{brightness});
      CHECK(most <= Light::kMost * std::min<int>(brightness, 100) / 100 + 1);
      // Also on the darkest screen; but with the screen off they are off.
      if (asked) CHECK((most > 0) == (brightness > 0));
    }
  }
}

TEST_CASE("a colour that was asked for stays through every state, until it is given back") {
  Lamp lamp;
  lamp.run(S::kIdle, 500);
  lamp.light.set_color({255, 0, 0});
  for (const S state : {S::kIdle, S::kListening, S::kThinking, S::kSpeaking, S::kOffline}) {
    const LedColors colors = lamp.run(state, 3000);
    CHECK(all_alike(colors));
    CHECK(colors[0] == LedColor{Light::kMost, 0, 0});
  }
  CHECK(lamp.run(S::kIdle, 3600000)[0] == LedColor{Light::kMost, 0, 0});  // no rest for it either
  lamp.light.set_color({0, 0, 0});
  CHECK(lamp.run(S::kSpeaking, 3000) == kDark);
  lamp.light.show_state();
  CHECK(lamp.run(S::kSpeaking, 500)[0].blue > 10);
}

TEST_CASE("lights rest when nobody talks for a minute, and wake with the next utterance") {
  Lamp lamp;
  lamp.now = 0xFFFFFFFFU - 30000U;  // across the wrap of the clock
  CHECK(lamp.run(S::kIdle, 57000) != kDark);
  CHECK(lamp.run(S::kIdle, 4000) == kDark);
  const std::size_t sent = lamp.effects.shown.size();
  lamp.run(S::kIdle, 600000);
  CHECK(lamp.effects.shown.size() == sent);
  CHECK(lamp.run(S::kListening, 100) != kDark);
  // Any other state goes on showing that something is wrong, or wanted.
  lamp.run(S::kOffline, 120000);
  CHECK(lamp.run(S::kOffline, 2000) != kDark);
}

TEST_CASE("a pin without lights is left alone; detached lights are switched off, once") {
  Lamp lamp;
  lamp.run(S::kListening, 5000, false);
  CHECK(lamp.effects.shown.empty());
  lamp.run(S::kListening, 100);
  const LedColors off = lamp.run(S::kListening, 100, false);
  CHECK(off == kDark);
  const std::size_t sent = lamp.effects.shown.size();
  lamp.run(S::kSpeaking, 5000, false);
  CHECK(lamp.effects.shown.size() == sent);
}

TEST_CASE(
    "the first colours are sent even if they are dark: lights outlive a restart of the chip") {
  Lamp lamp;
  lamp.light.set_color({0, 0, 0});
  lamp.run(S::kIdle, 10);
  REQUIRE(lamp.effects.shown.size() == 1);
  CHECK(lamp.effects.shown[0] == kDark);
}

TEST_CASE("the device: lights show its state, and the tool's colour takes precedence") {
  World w;
  w.effects.driven = true;
  Settings settings = load_settings(w.store);
  settings.light = LightKind::kM5go;
  settings.brightness = 100;
  REQUIRE(save_settings(w.store, settings));
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.steps(300);
  REQUIRE_FALSE(w.effects.shown.empty());
  CHECK(w.effects.shown.back()[0].blue > 0);

  w.say(set_color("red"));
  CHECK(w.texts.back().find("true") != std::string::npos);
  w.input(Input::Kind::kTap);
  REQUIRE(w.device->state() == S::kListening);
  w.steps(100);
  CHECK(w.effects.shown.back()[9] == LedColor{Light::kMost, 0, 0});

  w.say(set_color("automatic"));
  w.steps(100);
  CHECK(w.effects.shown.back()[9].red == 0);
  CHECK(w.effects.shown.back()[9].green > 20);  // it listens
}

TEST_CASE("the device: without the setting there is no light, and no tool for one") {
  World w;
  w.effects.driven = true;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.steps(300);
  w.say(set_color("red"));
  CHECK(w.texts.back().find("there is no such tool") != std::string::npos);
  w.steps(100);
  CHECK(w.effects.shown.empty());
}
