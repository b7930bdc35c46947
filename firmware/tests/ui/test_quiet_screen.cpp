// What the screen shows and does while nobody talks: clock, timers, alarm, fewer frames, darkness.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "lobug/face/palette.h"
#include "lobug/ui/ui.h"
#include "support/scripted_random.h"

using namespace lobug;
using Kind = Input::Kind;

namespace {

struct QuietScreen {
  ScriptedRandom random;
  Queue<Input, 16> queue;
  Ui ui{random, queue, true};
  std::vector<Colour> pixels = std::vector<Colour>(320 * 240);
  Canvas canvas{{pixels.data(), pixels.size()}, 320, 240};
  Canvas unseen{{}, 320, 240};
  View view;
  Motion motion;
  Millis now = 1000;
  int frames = 0;

  QuietScreen() {
    view.state = DeviceState::kIdle;
    view.clock = true;
    view.minute_of_day = 14 * 60 + 5;
    view.date = {4, 26, 11};
    pass(100);
  }
  /// Rounds as the device makes them. Minutes of frames that nobody looks at are made without
  /// pixels, and the last one once more with them.
  void pass(Millis ms, bool down = false) {
    const int before = frames;
    Millis drawn_at = now;
    for (Millis passed = 0; passed < ms; passed += 20) {
      now += 20;
      ui.touch({down, 160, 100}, now);
      if (!ui.frame_due(view, now)) continue;
      ++frames;
      drawn_at = now;
      ui.draw(unseen, view, motion, 0, now);
    }
    if (frames != before) ui.draw(canvas, view, motion, 0, drawn_at);
  }
  int frames_in(Millis ms) {
    frames = 0;
    pass(ms);
    return frames;
  }
  std::vector<int> inputs() {
    std::vector<int> all;
    Input input;
    while (queue.pop(input)) all.push_back(static_cast<int>(input.kind));
    return all;
  }
  int count(Colour colour, int from_row = 22, int to_row = 240) const {
    int number = 0;
    for (int at = from_row * 320; at < to_row * 320; ++at) {
      number += pixels[static_cast<std::size_t>(at)] == colour ? 1 : 0;
    }
    return number;
  }
};

}  // namespace

TEST_CASE("after a minute of quiet the clock takes the face's place, if the owner wants it") {
  QuietScreen s;
  s.pass(59000);
  const int face = s.count(kHead);
  CHECK(face > 10000);
  s.pass(2000);
  CHECK(s.count(kHead) < face / 2);  // it peeps from below
  CHECK(s.count(kText, 30, 130) > 2000);
  const auto before = s.pixels;
  s.view.minute_of_day += 1;
  s.pass(1000);
  CHECK(s.pixels != before);
  s.pass(20, true);
  s.pass(200);
  CHECK(s.count(kHead) > face / 2);  // a finger brings the face back

  QuietScreen off;
  off.view.clock = false;
  off.pass(61000);
  CHECK(off.count(kHead) > 10000);
  QuietScreen unknown;
  unknown.view.minute_of_day = -1;
  unknown.pass(61000);
  CHECK(unknown.count(kHead) > 10000);
}

TEST_CASE("every minute of a day looks different") {
  QuietScreen s;
  s.pass(70000);
  std::vector<Colour> last = s.pixels;
  for (int minute = 0; minute < 1440; minute += 7) {
    s.view.minute_of_day = static_cast<std::int16_t>(minute);
    s.pass(500);
    if (s.pixels == last) {
      CAPTURE(minute);
      CHECK(s.pixels != last);
    }
    last = s.pixels;
  }
}

TEST_CASE("a timer's ring empties, small beside the face and large in its place") {
  QuietScreen s;
  s.view.timers = 1;
  s.view.timer_total_s = 300;
  s.view.timer_left_s = 300;
  s.view.timer_label = "Tea";
  s.pass(200);
  const int full = s.count(kAccent, 22, 70);
  CHECK(full > 50);
  s.view.timer_left_s = 100;
  s.pass(200);
  CHECK(s.count(kAccent, 22, 70) < full / 2);
  s.pass(61000);
  CHECK(s.count(kHead) == 0);
  const int third = s.count(kAccent);
  CHECK(third > 1000);
  s.view.timer_left_s = 50;
  s.pass(1000);
  CHECK(s.count(kAccent) < third * 2 / 3);
  s.view.timer_left_s = 9;
  s.pass(1000);
  CHECK(s.count(kAccent) == 0);
  CHECK(s.count(kWarning) > 50);  // the last seconds
}

TEST_CASE("what the server sends cannot make the ring draw nonsense") {
  QuietScreen s;
  s.view.timers = 8;
  s.view.timer_label = std::string_view("WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW");
  s.pass(62000);
  for (const std::uint32_t total : {0U, 1U, 4294967295U}) {
    for (const std::uint32_t left : {0U, 1U, 3599U, 3600U, 86400U, 4294967295U}) {
      s.view.timer_total_s = total;
      s.view.timer_left_s = left;
      s.pass(Ui::kClockFrameMs);
      CHECK(s.count(kText) > 50);
    }
  }
}

TEST_CASE("an alarm looks like one, until somebody talks, and the microphone is still seen") {
  QuietScreen s;
  s.view.ringing = true;
  s.view.notice = "tea";
  s.pass(100);
  CHECK(s.count(kHead) == 0);
  CHECK(s.count(kWarning) > 1000);  // the bell
  const auto before = s.pixels;
  s.pass(100);
  CHECK(s.pixels != before);
  s.view.microphone = true;
  s.pass(100);
  CHECK(s.count(kAlarm, 0, 20) > 100);
  s.view.state = DeviceState::kListening;
  s.pass(1000);
  CHECK(s.count(kHead) > 10000);
}

TEST_CASE("less moves, fewer frames: dim, asleep, a clock, dark") {
  QuietScreen s;
  CHECK(s.frames_in(10000) == 250);
  s.view.power = PowerState::kDim;
  CHECK(s.frames_in(10000) <= 102);
  s.pass(60000);
  CHECK(s.frames_in(10000) <= 21);  // the clock
  s.view.clock = false;
  s.pass(Ui::kAsleepMs);
  CHECK(s.frames_in(10000) <= 51);  // the sleeping face
  s.view.power = PowerState::kDark;
  CHECK(s.frames_in(10000) == 0);
  s.view.power = PowerState::kAwake;
  CHECK(s.frames_in(20) == 1);  // at once
}

TEST_CASE("a self-test is drawn as often as it can be, whatever rests beside it") {
  QuietScreen s;
  s.view.power = PowerState::kDim;
  s.pass(Ui::kAsleepMs);
  s.view.self_test.run = 1;
  s.view.self_test.phase = SelfTestState::Phase::kRunning;
  CHECK(s.frames_in(3000) == 75);
}

TEST_CASE("whatever happens is drawn at once, however few frames there are") {
  for (int change = 0; change < 5; ++change) {
    CAPTURE(change);
    QuietScreen s;
    s.view.power = PowerState::kDim;
    s.pass(70000);
    s.frames_in(0);
    if (change == 0) s.view.state = DeviceState::kListening;
    if (change == 1) s.view.notice = "Tea is ready";
    if (change == 2) s.view.ringing = true;
    if (change == 3) s.view.self_test.run = 1;
    if (change == 4) s.pass(20, true);
    CHECK(s.frames_in(20) == 1);
  }
}

TEST_CASE("a touch in the dark wakes the screen and does nothing else") {
  for (const Millis held : {Millis{60}, GestureSense::kHoldMs + 400}) {
    CAPTURE(held);
    QuietScreen s;
    s.view.power = PowerState::kDark;
    s.pass(20);
    s.pass(20, true);
    CHECK(s.inputs() == std::vector<int>{static_cast<int>(Kind::kWake)});  // at press-down
    s.view.power = PowerState::kAwake;
    s.pass(held, true);
    s.pass(40);
    CHECK(s.inputs().empty());
    s.pass(60, true);
    s.pass(40);
    CHECK(s.inputs() ==
          std::vector<int>{static_cast<int>(Kind::kPress), static_cast<int>(Kind::kTap)});
  }
}
