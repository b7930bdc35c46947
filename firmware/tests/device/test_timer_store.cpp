#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "device/scripted_world.h"
#include "lobug/device/timer_store.h"
#include "support/text.h"

using namespace lobug;
using namespace lobug::test;

namespace {

constexpr std::int64_t kNoon = 1795348800;

/// A device that is switched off and on: what it holds in memory is gone, its store stays.
struct StoreBench {
  MemoryStore store;
  ToolTimers timers;
  std::int64_t unix_seconds = kNoon;  ///< 0: not known
  Millis now = 0xFFFFF000U;           // the clock wraps meanwhile

  bool save() {
    TimerStore keeper(store);
    return keeper.save(timers, unix_seconds, now);
  }
  /// Returns what was missed.
  std::string start_anew(std::uint32_t off_s) {
    if (unix_seconds != 0) unix_seconds += off_s;
    now = 77;
    timers = ToolTimers();
    return std::string(TimerStore(store).load(timers, english(), unix_seconds, now));
  }
  void pass(std::uint32_t seconds) {
    now += seconds * 1000;
    if (unix_seconds != 0) unix_seconds += seconds;
  }
  std::vector<std::string> listed() const {
    std::vector<std::string> all;
    TimerState timer;
    for (std::size_t place = 0; timers.find(place, now, timer); ++place) {
      all.push_back(std::string(timer.label) + " " + std::to_string(timer.left / 1000) + " of " +
                    std::to_string(timer.total / 1000));
    }
    return all;
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("with a clock a timer ends when it should, however long the device was off") {
  StoreBench bench;
  bench.timers.start(600, "tea", bench.now);
  bench.timers.start(3600, "", bench.now);
  REQUIRE(bench.save());
  bench.pass(100);
  CHECK(bench.start_anew(200).empty());
  CHECK(bench.listed() == Lines{"tea 300 of 600", " 3300 of 3600"});
}

TEST_CASE("without a clock a timer goes on with what was left a minute ago at the latest") {
  StoreBench bench;
  bench.unix_seconds = 0;
  TimerStore keeper(bench.store);
  bench.timers.start(600, "tea", bench.now);
  for (int second = 0; second < 200; ++second) {
    REQUIRE(keeper.save(bench.timers, 0, bench.now));
    bench.pass(1);
  }
  CHECK(bench.store.writes <= 5);  // flash wears out
  bench.start_anew(1000);
  CHECK(bench.listed() == Lines{"tea 420 of 600"});  // of 180 s
}

TEST_CASE("a planned restart stores what is left to the second") {
  StoreBench bench;
  bench.unix_seconds = 0;
  bench.timers.start(600, "tea", bench.now);
  REQUIRE(bench.save());
  bench.pass(45);
  bench.timers.touch();
  REQUIRE(bench.save());
  bench.start_anew(5);
  CHECK(bench.listed() == Lines{"tea 555 of 600"});
}

TEST_CASE("a clock that is lost makes it late; the server's time puts it right") {
  StoreBench bench;
  bench.timers.start(600, "tea", bench.now);
  REQUIRE(bench.save());
  bench.pass(100);
  bench.unix_seconds = 0;
  bench.start_anew(200);
  CHECK(bench.listed() == Lines{"tea 600 of 600"});  // never early
  REQUIRE(bench.save());
  bench.pass(10);
  bench.timers.clock_set(kNoon + 310, bench.now);
  CHECK(bench.listed() == Lines{"tea 290 of 600"});
  bench.unix_seconds = kNoon + 310;
  REQUIRE(bench.save());
  bench.start_anew(90);
  CHECK(bench.listed() == Lines{"tea 200 of 600"});
}

TEST_CASE("one that was lost without a clock keeps its end over two restarts") {
  StoreBench bench;
  bench.timers.start(600, "tea", bench.now);
  REQUIRE(bench.save());
  bench.unix_seconds = 0;
  bench.start_anew(1);
  bench.timers.touch();
  REQUIRE(bench.save());
  bench.start_anew(1);
  bench.timers.clock_set(kNoon + 500, bench.now);
  CHECK(bench.listed() == Lines{"tea 100 of 600"});
}

TEST_CASE("one that ended while the device was off rings at once and says how late it is") {
  StoreBench bench;
  bench.timers.start(60, "tea", bench.now);
  REQUIRE(bench.save());
  CHECK(bench.start_anew(60 + 5 * 60 + 20).empty());
  CHECK(bench.timers.step(bench.now));
  CHECK(bench.timers.ringing());
  CHECK(bench.timers.words(english()) == "tea (5 min late)");
  // Restarted while it rings, it rings again.
  bench.timers.touch();
  REQUIRE(bench.save());
  bench.start_anew(60);
  CHECK(bench.timers.step(bench.now));
  // Acknowledged, it is gone for good.
  bench.timers.acknowledge();
  REQUIRE(bench.save());
  CHECK(bench.store.values.empty());
}

TEST_CASE("one without a name says how late it is, too") {
  StoreBench bench;
  bench.timers.start(60, "", bench.now);
  REQUIRE(bench.save());
  bench.start_anew(60 + 120);
  bench.timers.step(bench.now);
  CHECK(bench.timers.words(english()) == "a timer (2 min late)");
}

TEST_CASE("one that ended more than an hour ago is told, and does not ring") {
  StoreBench bench;
  bench.timers.start(60, "tea", bench.now);
  bench.timers.start(61, "", bench.now);
  bench.timers.start(7200, "bread", bench.now);
  REQUIRE(bench.save());
  CHECK(bench.start_anew(61 + 3601) == "tea, a timer");
  CHECK_FALSE(bench.timers.step(bench.now));
  CHECK(bench.listed() == Lines{"bread 3538 of 7200"});
  REQUIRE(bench.save());
  CHECK(bench.start_anew(1).empty());  // told once
}

TEST_CASE("cancelled or over, it is erased") {
  StoreBench bench;
  bench.timers.start(60, "tea", bench.now);
  bench.timers.start(61, "eggs", bench.now);
  REQUIRE(bench.save());
  CHECK(bench.store.values.size() == 2);
  bench.timers.cancel("tea");
  REQUIRE(bench.save());
  bench.pass(61);
  bench.timers.step(bench.now);
  REQUIRE(bench.save());
  CHECK(bench.store.values.size() == 1);  // it rings
  bench.timers.acknowledge();
  REQUIRE(bench.save());
  CHECK(bench.store.values.empty());
  const int writes = bench.store.writes;
  REQUIRE(bench.save());
  CHECK(bench.store.writes == writes);
  CHECK_FALSE(bench.store.bad_key);
}

TEST_CASE("what is stored and makes no sense is dropped, and no timer is longer than any can be") {
  for (const char* const text : {"", "x", "1 2", "1 2 3", "-1 2 3 tea", "1 99999999 3 tea",
                                 "99999999999999999999 1 1 tea", "1  2 3 tea"}) {
    CAPTURE(text);
    StoreBench bench;
    bench.store.values["timer_3"] = text;
    CHECK(bench.start_anew(0).empty());
    CHECK(bench.listed().empty());
    CHECK(bench.store.values.empty());
  }
  // A clock that was wrong when it was stored must not make it last for years.
  StoreBench bench;
  bench.store.values["timer_0"] = "1900000000 10 300 tea";
  bench.start_anew(0);
  CHECK(bench.listed() == Lines{"tea 300 of 300"});
}

TEST_CASE("labels of every kind survive") {
  StoreBench bench;
  const std::string longest(64, 'x');
  bench.timers.start(600, longest, bench.now);
  bench.timers.start(700, "Käse & 7 eggs", bench.now);
  bench.timers.start(800, " 5 6", bench.now);
  REQUIRE(bench.save());
  bench.start_anew(0);
  CHECK(bench.listed() ==
        Lines{longest + " 600 of 600", "Käse & 7 eggs 700 of 700", " 5 6 800 of 800"});
}

TEST_CASE("a store that fails loses no timer that runs") {
  StoreBench bench;
  bench.timers.start(600, "tea", bench.now);
  bench.store.writes_left = 0;
  CHECK_FALSE(bench.save());
  CHECK(bench.listed() == Lines{"tea 600 of 600"});
}

TEST_CASE("a device goes on with its timers after a restart and rings what is over") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(DeviceState::kIdle));
  w.say(tool_call("self.timer.start", R"({"seconds":300,"label":"tea"})"));
  w.say(tool_call("self.timer.start", R"({"seconds":5000,"label":"bread"})"));
  w.steps(50, 100);
  w.input(Input::Kind::kRestart);
  w.device.reset();
  w.system.time_ms += 400'000;  // the clock chip goes on
  w.audio.beeps = 0;
  w.boot();
  w.steps(3);
  CHECK(w.audio.beeps == 3);  // without Wi-Fi and server
  CHECK(w.view().notice == "tea (1 min late)");
  CHECK(w.view().ringing);
  CHECK(w.view().timers == 1);
  CHECK(w.view().timer_label == "bread");
  CHECK(w.view().timer_total_s == 5000);
  w.input(Input::Kind::kTap);
  CHECK(w.view().notice.empty());
  CHECK_FALSE(w.view().ringing);
}

TEST_CASE("what ended long ago is told once somebody looks") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(DeviceState::kIdle));
  w.say(tool_call("self.timer.start", R"({"seconds":300,"label":"tea"})"));
  w.steps(5, 100);
  w.device.reset();
  w.system.time_ms += 8'000'000;
  w.audio.beeps = 0;
  w.boot();
  w.steps(100, 100);
  CHECK(w.audio.beeps == 0);
  CHECK(w.view().notice == "While I was off, this timer ended: tea");
}

TEST_CASE("a device that forgets everything forgets its timers") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(DeviceState::kIdle));
  w.say(tool_call("self.timer.start", R"({"seconds":300,"label":"tea"})"));
  w.steps(5, 100);
  CHECK_FALSE(w.stored("timer_0").empty());
  w.input(Input::Kind::kReset);
  CHECK(w.stored("timer_0").empty());
}

TEST_CASE("no update begins over a running timer, and it comes once that is over") {
  World w;
  w.firmware = std::string(64, 'f');
  const std::string offer =
      R"({"websocket":{"url":"ws://10.0.0.2:8321/xiaozhi/v1/","token":"t0ken"},)"
      R"("server_time":{"timestamp":1760000000000},"firmware":{"version":"2.1.0",)"
      R"("url":"http://10.0.0.2:8321/firmware/host/2.1.0","size":64,"sha256":")" +
      w.firmware_hash() + R"("}})";
  const auto updates_within = [&w](int minutes) {
    for (int second = 0; second < 60 * minutes && w.slot.begun == 0; ++second) w.step(1000);
    return w.slot.begun > 0;
  };
  w.boot();
  w.wifi();
  REQUIRE(w.reach(DeviceState::kIdle));
  w.say(tool_call("self.timer.start", R"({"seconds":80000,"label":"tea"})"));
  w.discovery = offer;
  SUBCASE("offered at the start") {
    w.device.reset();
    w.boot();
    w.wifi();
    REQUIRE(w.reach(DeviceState::kIdle));
  }
  SUBCASE("offered while it is idle") {}
  CHECK_FALSE(updates_within(7 * 60));
  REQUIRE(w.reach(DeviceState::kIdle, 1000));
  w.say(tool_call("self.timer.cancel", "{}"));
  CHECK(updates_within(16));
}
