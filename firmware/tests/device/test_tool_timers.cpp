#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "device/scripted_world.h"
#include "lobug/device/tool_timers.h"
#include "support/text.h"

using namespace lobug;
using namespace lobug::test;

namespace {

struct TimerBench {
  /// When signals came within the next `ms`, counted from now.
  std::vector<Millis> signals(Millis ms) {
    std::vector<Millis> at;
    for (Millis passed = 0; passed < ms; passed += 100, now += 100) {
      if (timers.step(now)) at.push_back(passed);
    }
    return at;
  }
  std::vector<std::string> listed() const {
    std::vector<std::string> all;
    TimerState timer;
    for (std::size_t place = 0; timers.find(place, now, timer); ++place) {
      all.push_back(std::string(timer.label) + " " + std::to_string(timer.left));
    }
    return all;
  }

  ToolTimers timers;
  Millis now = 0xFFFFF000U;  // the clock wraps meanwhile
};

using Times = std::vector<Millis>;
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a timer signals when it is over and every ten seconds, for a minute") {
  TimerBench bench;
  REQUIRE(bench.timers.start(5, "tea", bench.now));
  CHECK(bench.signals(5000).empty());
  CHECK_FALSE(bench.timers.ringing());
  CHECK(bench.signals(59900) == Times{0, 10000, 20000, 30000, 40000, 50000});
  CHECK(bench.timers.ringing());
  CHECK(bench.timers.words(english()) == "tea");
  CHECK(bench.signals(600000).empty());
  CHECK_FALSE(bench.timers.ringing());
  CHECK(bench.timers.words(english()).empty());
}

TEST_CASE("whoever acknowledges it has silence, and the next timer rings all the same") {
  TimerBench bench;
  bench.timers.start(5, "tea", bench.now);
  bench.timers.start(35, "eggs", bench.now);
  CHECK(bench.signals(17000) == Times{5000, 15000});
  bench.timers.acknowledge();
  CHECK_FALSE(bench.timers.ringing());
  CHECK(bench.signals(20000) == Times{18000});
  CHECK(bench.timers.words(english()) == "eggs");
}

TEST_CASE("of two that are over together none is lost") {
  TimerBench bench;
  bench.timers.start(5, "tea", bench.now);
  bench.timers.start(5, "eggs", bench.now);
  bench.timers.start(12, "bread", bench.now);
  CHECK(bench.signals(6000) == Times{5000});  // one signal for both
  CHECK(bench.timers.words(english()) == "tea, eggs");
  // One more while they ring: a signal at once, and another minute.
  CHECK(bench.signals(70000) == Times{6000, 16000, 26000, 36000, 46000, 56000});
  CHECK(bench.timers.words(english()).empty());
}

TEST_CASE("timers without a label") {
  TimerBench bench;
  bench.timers.start(1, "", bench.now);
  bench.timers.start(1, "", bench.now);
  bench.timers.start(2, "tea", bench.now);
  bench.signals(1500);
  CHECK(bench.timers.words(english()) == "Time's up!");
  bench.signals(1500);
  CHECK(bench.timers.words(english()) == "a timer, a timer, tea");
}

TEST_CASE("labels beyond the screen's room are cut off") {
  TimerBench bench;
  for (int timer = 0; timer < 8; ++timer) {
    CHECK(bench.timers.start(1, std::string(80, 'x'), bench.now));
  }
  CHECK_FALSE(bench.timers.start(1, "", bench.now));
  bench.signals(1100);
  CHECK(bench.timers.words(english()).size() == 256);
  // Until somebody has noticed they are in use.
  CHECK_FALSE(bench.timers.start(1, "", bench.now));
  bench.timers.acknowledge();
  CHECK(bench.timers.start(1, "", bench.now));
}

TEST_CASE("timers are listed with what is left, the soonest first") {
  TimerBench bench;
  CHECK(bench.listed().empty());
  bench.timers.start(300, "bread", bench.now);
  bench.timers.start(10, "tea", bench.now);
  bench.timers.start(86400, "", bench.now);
  bench.timers.start(10, "eggs", bench.now);
  CHECK(bench.listed() == Lines{"tea 10000", "eggs 10000", "bread 300000", " 86400000"});
  bench.signals(11000);
  CHECK(bench.listed() == Lines{"tea 0", "eggs 0", "bread 289000", " 86389000"});
  bench.timers.acknowledge();
  CHECK(bench.listed() == Lines{"bread 289000", " 86389000"});
}

TEST_CASE("timers are cancelled by label or all, those that ring as well") {
  TimerBench bench;
  bench.timers.start(5, "Tea", bench.now);
  bench.timers.start(5, "eggs", bench.now);
  bench.timers.start(50, "tea", bench.now);
  bench.timers.start(60, "tea time", bench.now);
  bench.signals(6000);
  CHECK(bench.timers.cancel("milk") == 0);
  CHECK(bench.timers.cancel("TEA") == 2);
  CHECK(bench.timers.words(english()) == "eggs");
  CHECK(bench.timers.cancel("eggs") == 1);
  CHECK_FALSE(bench.timers.ringing());
  CHECK(bench.listed() == Lines{"tea time 54000"});
  CHECK(bench.timers.cancel("") == 1);
  CHECK(bench.timers.cancel("") == 0);
  CHECK(bench.signals(100000).empty());
}

TEST_CASE("a label that was cut is cancelled by the words that it was started with") {
  TimerBench bench;
  const std::string label(80, 'x');
  bench.timers.start(5, label, bench.now);
  CHECK(bench.timers.cancel(label) == 1);
}

TEST_CASE("a device whose timer rings beeps until somebody taps") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(DeviceState::kIdle));
  w.say(tool_call("self.timer.start", R"({"seconds":5,"label":"tea"})"));
  w.say(tool_call("self.timer.start", R"({"seconds":5,"label":"eggs"})"));
  w.say(tool_call("self.timer.list", "{}"));
  CHECK(has(w.texts.back(), R"(\"label\":\"tea\",\"seconds_left\":5)"));
  w.steps(60, 100);
  CHECK(w.audio.beeps == 3);
  CHECK(w.view().notice == "tea, eggs");
  w.audio.beeps = 0;
  w.steps(100, 100);
  CHECK(w.audio.beeps == 3);
  w.audio.beeps = 0;
  w.input(Input::Kind::kTap);
  CHECK(w.view().notice.empty());
  w.steps(700, 100);
  CHECK(w.audio.beeps == 0);
}

TEST_CASE("a timer that rings is silenced by words as well") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(DeviceState::kIdle));
  w.say(tool_call("self.timer.start", R"({"seconds":5,"label":"tea"})"));
  w.steps(60, 100);
  CHECK(w.view().notice == "tea");
  w.audio.beeps = 0;
  w.say(tool_call("self.timer.cancel", "{}"));
  CHECK(w.view().notice.empty());
  w.steps(300, 100);
  CHECK(w.audio.beeps == 0);
  w.say(tool_call("self.timer.cancel", "{}"));
  CHECK(has(w.texts.back(), "No timer is running."));
}

TEST_CASE("a text that a tool shows does not end the signals when its time is over") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(DeviceState::kIdle));
  w.say(tool_call("self.timer.start", R"({"seconds":5,"label":"tea"})"));
  w.steps(60, 100);
  w.say(R"({"type":"mcp","payload":{"jsonrpc":"2.0","id":8,"method":"tools/call","params":)"
        R"({"name":"self.screen.show_text","arguments":{"text":"Hello","seconds":2}}}})");
  w.audio.beeps = 0;
  w.steps(100, 100);
  CHECK(w.audio.beeps == 3);
  CHECK(w.view().notice == "tea");
}
