// What the screen promises whatever else happens: the microphone closes, alerts are seen.
#include <doctest/doctest.h>

#include <vector>

#include "lobug/face/palette.h"
#include "lobug/ui/ui.h"
#include "support/scripted_random.h"

using namespace lobug;

namespace {

struct PromisedScreen {
  ScriptedRandom random;
  Queue<Input, 16> queue;
  Ui ui{random, queue, true};
  std::vector<Colour> pixels = std::vector<Colour>(320 * 240);
  Canvas canvas{{pixels.data(), pixels.size()}, 320, 240};
  View view;
  Motion motion;
  Millis now = 1000;

  PromisedScreen() {
    view.state = DeviceState::kIdle;
    pass(100);
  }
  void pass(Millis ms) {
    for (Millis passed = 0; passed < ms; passed += 20) {
      now += 20;
      ui.draw(canvas, view, motion, 0, now);
    }
  }
  void touch(bool down, Millis ms = 20) {
    now += ms;
    ui.touch({down, 160, 100}, now);
  }
  int pop(Input::Kind kind) {
    int count = 0;
    Input input;
    while (queue.pop(input)) count += input.kind == kind ? 1 : 0;
    return count;
  }
  /// Pixels of a colour below the face, where words are.
  int words_in(Colour colour) const {
    int count = 0;
    for (std::size_t at = 188 * 320; at < pixels.size(); ++at)
      count += pixels[at] == colour ? 1 : 0;
    return count;
  }
};

}  // namespace

TEST_CASE("the end of a hold waits until the queue has room, and is told once") {
  PromisedScreen s;
  s.touch(true);
  s.touch(true, GestureSense::kHoldMs);
  CHECK(s.pop(Input::Kind::kHoldBegin) == 1);
  while (s.queue.push(Input())) {
  }
  s.touch(false);
  CHECK(s.pop(Input::Kind::kHoldEnd) == 0);
  s.touch(false);
  CHECK(s.pop(Input::Kind::kHoldEnd) == 1);
  s.touch(false);
  CHECK(s.pop(Input::Kind::kHoldEnd) == 0);
}

TEST_CASE("a hold whose beginning found no room has no end either") {
  PromisedScreen s;
  while (s.queue.push(Input())) {
  }
  s.touch(true);
  s.touch(true, GestureSense::kHoldMs);
  CHECK(s.pop(Input::Kind::kHoldBegin) == 0);
  s.touch(false);
  CHECK(s.pop(Input::Kind::kHoldEnd) == 0);
}

TEST_CASE("without captions spoken words stay hidden, also after the reply; an alert is shown") {
  PromisedScreen s;
  s.view.captions = false;
  s.view.state = DeviceState::kSpeaking;
  s.view.caption = "It is noon.";
  s.pass(1500);
  CHECK(s.words_in(kText) == 0);
  s.view.state = DeviceState::kIdle;
  s.pass(1500);
  CHECK(s.words_in(kText) == 0);
  s.view.caption = "I cannot think right now.";
  s.pass(1500);
  CHECK(s.words_in(kText) > 100);
}

TEST_CASE("what is missing is said, whatever text a tool has put on the screen") {
  PromisedScreen plain;
  PromisedScreen noted;
  noted.view.notice = "Tea is ready";
  for (PromisedScreen* screen : {&plain, &noted}) {
    screen->view.state = DeviceState::kOffline;
    screen->view.trouble = Trouble::kServerGone;
    screen->pass(1500);
  }
  CHECK(plain.pixels == noted.pixels);
  noted.view.trouble = Trouble::kNoServer;
  noted.pass(20);
  plain.pass(20);
  CHECK(plain.pixels != noted.pixels);
}
