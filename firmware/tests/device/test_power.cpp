#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "lobug/device/power.h"

using namespace lobug;

namespace {

BatteryReading on_battery(int percent) {
  BatteryReading battery;
  battery.known = true;
  battery.percent = static_cast<std::uint8_t>(percent);
  return battery;
}

BatteryReading plugged(int percent) {
  BatteryReading battery = on_battery(percent);
  battery.powered = true;
  return battery;
}

struct PowerBench {
  PowerControl power;
  PowerSettings settings;
  BatteryReading battery = on_battery(80);
  bool busy = false;
  Millis now = 0xFFFF0000U;  // the clock wraps meanwhile
  std::vector<BatteryNotice> notices;

  PowerState step(bool activity = false) {
    PowerInputs inputs;
    inputs.activity = activity;
    inputs.busy = busy;
    inputs.battery = battery;
    const PowerState state = power.step(inputs, settings, now);
    const BatteryNotice notice = power.take_notice();
    if (notice != BatteryNotice::kNone) notices.push_back(notice);
    return state;
  }
  PowerState pass(std::uint32_t seconds) {
    PowerState state = step();
    for (std::uint32_t tenth = 0; tenth < seconds * 10; ++tenth) {
      now += 100;
      state = step();
    }
    return state;
  }
};

}  // namespace

TEST_CASE("the screen is dim after a minute, off after five on battery, and wakes at a touch") {
  PowerBench bench;
  CHECK(bench.pass(59) == PowerState::kAwake);
  CHECK(bench.power.backlight(70) == 70);
  CHECK(bench.pass(1) == PowerState::kDim);
  CHECK(bench.power.backlight(70) == 17);
  CHECK(bench.power.backlight(2) == 1);  // never off by being dim
  CHECK(bench.pass(239) == PowerState::kDim);
  CHECK(bench.pass(1) == PowerState::kDark);
  CHECK(bench.power.backlight(70) == 0);
  CHECK(bench.step(true) == PowerState::kAwake);
  CHECK(bench.pass(60) == PowerState::kDim);
}

TEST_CASE("powered it is never dark unless the owner says so") {
  PowerBench bench;
  bench.battery = plugged(50);
  CHECK(bench.pass(4000) == PowerState::kDim);
  bench.settings.off_after_usb_s = 600;
  CHECK(bench.pass(0) == PowerState::kDark);  // it has been quiet for longer
  bench.step(true);
  CHECK(bench.pass(599) == PowerState::kDim);
  CHECK(bench.pass(1) == PowerState::kDark);
}

TEST_CASE("never means never") {
  PowerBench bench;
  bench.settings.dim_after_s = 0;
  bench.settings.off_after_s = 0;
  CHECK(bench.pass(90000) == PowerState::kAwake);
  bench.settings.off_after_s = 30;
  CHECK(bench.pass(0) == PowerState::kDark);  // without having been dim
}

TEST_CASE("who talks, sets it up or hears it ring sees the screen") {
  PowerBench bench;
  bench.busy = true;
  CHECK(bench.pass(4000) == PowerState::kAwake);
  bench.busy = false;
  CHECK(bench.pass(300) == PowerState::kDark);
  bench.busy = true;
  CHECK(bench.step() == PowerState::kAwake);
}

TEST_CASE("a plug that goes in or out wakes it") {
  PowerBench bench;
  CHECK(bench.pass(300) == PowerState::kDark);
  bench.battery = plugged(80);
  CHECK(bench.step() == PowerState::kAwake);
  CHECK(bench.pass(3600) == PowerState::kDim);
  bench.battery = on_battery(80);
  CHECK(bench.step() == PowerState::kAwake);  // not dark at once, however long it was quiet
  CHECK(bench.pass(300) == PowerState::kDark);
}

TEST_CASE("it stays dark for longer than the millisecond clock can count") {
  PowerBench bench;
  REQUIRE(bench.pass(300) == PowerState::kDark);
  for (int hour = 0; hour < 24 * 60; ++hour) {  // 60 days
    bench.now += 3600000;
    if (bench.step() != PowerState::kDark) {
      CAPTURE(hour);
      CHECK(bench.power.state() == PowerState::kDark);
      return;
    }
  }
}

TEST_CASE("the radio sleeps on battery while nobody needs it") {
  PowerBench bench;
  bench.step();
  CHECK_FALSE(bench.power.radio_sleeps());
  bench.pass(PowerControl::kRadioQuietS);
  CHECK(bench.power.radio_sleeps());
  bench.step(true);
  CHECK_FALSE(bench.power.radio_sleeps());
  bench.pass(60);
  CHECK(bench.power.radio_sleeps());
  bench.busy = true;
  bench.step();
  CHECK_FALSE(bench.power.radio_sleeps());
  bench.busy = false;
  bench.battery = plugged(80);
  bench.pass(600);
  CHECK_FALSE(bench.power.radio_sleeps());
}

TEST_CASE("a low battery is told once, and again only after it was charged") {
  PowerBench bench;
  bench.battery = on_battery(16);
  bench.pass(60);
  CHECK(bench.notices.empty());
  bench.battery = on_battery(15);
  bench.pass(19);
  CHECK(bench.notices.empty());  // the voltage drops for a moment when it is loud
  bench.pass(2);
  CHECK(bench.notices == std::vector<BatteryNotice>{BatteryNotice::kLow});
  for (const int percent : {16, 14, 17, 15, 19, 12}) {
    bench.battery = on_battery(percent);
    bench.pass(60);
  }
  bench.battery = plugged(14);  // a plug that does not hold
  bench.pass(1);
  bench.battery = on_battery(14);
  bench.pass(60);
  CHECK(bench.notices.size() == 1);
  bench.battery = plugged(20);
  bench.pass(10);
  bench.battery = on_battery(15);
  bench.pass(21);
  CHECK(bench.notices.size() == 2);
}

TEST_CASE("a reading that is low for a moment is not believed") {
  PowerBench bench;
  for (int round = 0; round < 100; ++round) {
    bench.battery = on_battery(0);
    bench.pass(15);
    bench.battery = on_battery(40);
    bench.pass(1);
  }
  CHECK(bench.notices.empty());
  CHECK(bench.power.state() != PowerState::kFarewell);
}

TEST_CASE("empty, it says so and switches itself off; a plug calls that off") {
  PowerBench bench;
  bench.battery = on_battery(5);
  CHECK(bench.pass(19) == PowerState::kAwake);
  CHECK(bench.pass(2) == PowerState::kFarewell);
  CHECK(bench.notices == std::vector<BatteryNotice>{BatteryNotice::kEmpty});  // not kLow as well
  CHECK(bench.power.backlight(70) == 70);
  bench.battery = plugged(5);
  CHECK(bench.step() == PowerState::kAwake);
  bench.battery = on_battery(5);
  CHECK(bench.pass(19) == PowerState::kAwake);
  CHECK(bench.pass(2) == PowerState::kFarewell);
  bench.battery = on_battery(6);  // a reading more or less changes nothing
  CHECK(bench.pass(8) == PowerState::kFarewell);
  CHECK(bench.pass(2) == PowerState::kSwitchedOff);
  CHECK(bench.power.backlight(70) == 0);
  bench.battery = plugged(50);
  CHECK(bench.step(true) == PowerState::kSwitchedOff);  // it is on its way
}

TEST_CASE("a conversation delays the end, but not for ever") {
  PowerBench bench;
  bench.battery = on_battery(3);
  bench.busy = true;
  CHECK(bench.pass(21) == PowerState::kFarewell);
  CHECK(bench.pass(40) == PowerState::kFarewell);
  CHECK(bench.pass(20) == PowerState::kSwitchedOff);
}

TEST_CASE("the end of a conversation is soon enough") {
  PowerBench bench;
  bench.battery = on_battery(3);
  bench.busy = true;
  CHECK(bench.pass(40) == PowerState::kFarewell);
  bench.busy = false;
  CHECK(bench.step() == PowerState::kSwitchedOff);
}

TEST_CASE("a dark device with an empty battery lights up to say so") {
  PowerBench bench;
  REQUIRE(bench.pass(300) == PowerState::kDark);
  bench.battery = on_battery(4);
  CHECK(bench.pass(21) == PowerState::kFarewell);
  CHECK(bench.power.backlight(70) == 70);
}

TEST_CASE("a level that is not known is not 0") {
  PowerBench bench;
  bench.battery = BatteryReading();
  CHECK(bench.pass(4000) == PowerState::kDim);  // as one that is powered
  CHECK(bench.notices.empty());
  CHECK_FALSE(bench.power.radio_sleeps());
  bench.battery = on_battery(4);
  CHECK(bench.pass(21) == PowerState::kFarewell);
  bench.battery = BatteryReading();
  CHECK(bench.step() != PowerState::kFarewell);
}

TEST_CASE("which levels of a power chip are believed") {
  CHECK(is_believable_level(80, 3900));
  CHECK(is_believable_level(80, 0));
  CHECK(is_believable_level(5, 3450));
  CHECK(is_believable_level(0, 3200));
  CHECK_FALSE(is_believable_level(0, 4100));  // the gauge has not measured yet
  CHECK_FALSE(is_believable_level(15, 3700));
  CHECK_FALSE(is_believable_level(-1, 3900));
  CHECK_FALSE(is_believable_level(101, 3900));
}
