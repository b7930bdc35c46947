#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "lobug/ui/ui.h"
#include "support/scripted_random.h"

using namespace lobug;
using Kind = Input::Kind;
using Inputs = std::vector<std::pair<Kind, int>>;

namespace {

struct Screen {
  ScriptedRandom random;
  Queue<Input, 16> queue;
  Ui ui;
  std::vector<Colour> pixels = std::vector<Colour>(320 * 240);
  Canvas canvas{{pixels.data(), pixels.size()}, 320, 240};
  View view;
  Motion motion;
  Millis now = 1000;

  explicit Screen(bool buttons_below = true) : ui(random, queue, buttons_below) {
    view.state = DeviceState::kIdle;
    view.volume = 60;
    view.brightness = 70;
    draw();
  }
  void draw(Millis ms = 20) {
    now += ms;
    ui.draw(canvas, view, motion, 0, now);
  }
  void touch(bool down, int x, int y, Millis ms = 20) {
    now += ms;
    ui.touch({down, static_cast<std::int16_t>(x), static_cast<std::int16_t>(y)}, now);
    draw(0);
  }
  void tap(int x, int y) {
    touch(true, x, y);
    touch(false, x, y, 60);
  }
  Inputs inputs() {
    Inputs all;
    Input input;
    while (queue.pop(input)) all.emplace_back(input.kind, input.value);
    return all;
  }
  bool shows(Colour colour, int x, int y, int width, int height) const {
    for (int row = y; row < y + height; ++row) {
      for (int column = x; column < x + width; ++column) {
        if (pixels[static_cast<std::size_t>(row * 320 + column)] == colour) return true;
      }
    }
    return false;
  }
};

constexpr Colour kRed = rgb(255, 92, 84);

}  // namespace

TEST_CASE("a tap on the face talks, a hold is push to talk") {
  Screen s;
  s.tap(160, 100);
  CHECK(s.inputs() == Inputs{{Kind::kPress, 0}, {Kind::kTap, 0}});
  s.touch(true, 160, 100);
  s.touch(true, 160, 100, GestureSense::kHoldMs);
  CHECK(s.inputs() == Inputs{{Kind::kPress, 0}, {Kind::kHoldBegin, 0}});
  s.touch(true, 300, 30);
  s.touch(false, 0, 0);
  CHECK(s.inputs() == Inputs{{Kind::kHoldEnd, 0}});
}

TEST_CASE("a finger that slides away takes its press back, once") {
  Screen s;
  s.touch(true, 160, 100);
  s.touch(true, 200, 100);
  s.touch(true, 240, 100);
  s.touch(false, 0, 0);
  CHECK(s.inputs() == Inputs{{Kind::kPress, 0}, {Kind::kPressEnd, 0}});
}

TEST_CASE("the middle button talks as the face does, on every page") {
  Screen s;
  s.tap(160, 262);
  CHECK(s.inputs() == Inputs{{Kind::kPress, 0}, {Kind::kTap, 0}});
  s.tap(40, 262);  // settings
  s.touch(true, 160, 262);
  s.touch(true, 160, 262, GestureSense::kHoldMs);
  s.touch(false, 0, 0);
  CHECK(s.inputs() == Inputs{{Kind::kPress, 0}, {Kind::kHoldBegin, 0}, {Kind::kHoldEnd, 0}});
}

TEST_CASE("without buttons the picture's lower corners stand for them") {
  Screen s(false);
  s.tap(20, 230);
  CHECK(s.inputs().empty());
  s.tap(200, 40);  // the volume's track on the settings page
  const Inputs slid = s.inputs();
  REQUIRE(slid.size() == 1);
  CHECK(slid[0].first == Kind::kVolume);
  s.tap(270, 190);  // close
  s.tap(160, 230);
  CHECK(s.inputs() == Inputs{{Kind::kPress, 0}, {Kind::kTap, 0}});
}

TEST_CASE("settings: sliders, modes, captions; what erases is asked twice") {
  Screen s;
  s.tap(40, 262);
  s.touch(true, 112 + 90, 75);
  CHECK(s.inputs() == Inputs{{Kind::kBrightness, 50}});
  s.touch(true, 112 + 90 + 36, 75);
  CHECK(s.inputs() == Inputs{{Kind::kBrightness, 70}});
  s.touch(true, 0, 75);
  CHECK(s.inputs() == Inputs{{Kind::kBrightness, 5}});  // never dark
  s.touch(false, 0, 75);
  s.tap(100, 114);
  CHECK(s.inputs() == Inputs{{Kind::kTalkMode, 1}});
  s.tap(260, 114);
  CHECK(s.inputs().size() == 1);
  s.tap(60, 150);
  s.draw(SettingsPage::kConfirmMs + 1);
  s.tap(60, 150);
  CHECK(s.inputs().empty());  // too late
  s.tap(60, 150);
  CHECK(s.inputs() == Inputs{{Kind::kForgetPairing, 0}});
  s.tap(240, 150);
  s.tap(60, 150);  // another button is no confirmation
  CHECK(s.inputs().empty());
  s.tap(240, 150);
  s.tap(240, 150);
  CHECK(s.inputs() == Inputs{{Kind::kReset, 0}});
  s.tap(270, 190);
  s.tap(160, 100);
  CHECK(s.inputs() == Inputs{{Kind::kPress, 0}, {Kind::kTap, 0}});
}

TEST_CASE("the wake word is offered only where the server listens for one") {
  const auto next = [](TalkMode mode, bool wake_word) {
    Screen s;
    s.view.talk_mode = mode;
    s.view.wake_word = wake_word;
    s.draw();
    s.tap(40, 262);
    s.tap(100, 114);
    const Inputs inputs = s.inputs();
    REQUIRE(inputs.size() == 1);
    CHECK(inputs[0].first == Kind::kTalkMode);
    return static_cast<TalkMode>(inputs[0].second);
  };
  CHECK(next(TalkMode::kConversation, true) == TalkMode::kWakeWord);
  CHECK(next(TalkMode::kConversation, false) == TalkMode::kTap);
  for (const bool wake_word : {true, false}) {
    CHECK(next(TalkMode::kTap, wake_word) == TalkMode::kConversation);
    CHECK(next(TalkMode::kWakeWord, wake_word) == TalkMode::kTap);  // it was set elsewhere
  }
}

TEST_CASE("the right button shows the volume, which a finger sets and time hides") {
  Screen s;
  s.tap(280, 262);
  s.draw();
  CHECK(s.inputs().empty());
  s.touch(true, 40 + 24, 210);
  s.touch(false, 40 + 24, 210);
  const Inputs set = s.inputs();
  REQUIRE_FALSE(set.empty());
  CHECK(set.back() == std::pair<Kind, int>(Kind::kVolume, 10));
  s.draw(Ui::kVolumeMs + 10);
  s.draw();
  s.tap(160, 210);
  CHECK(s.inputs() == Inputs{{Kind::kPress, 0}, {Kind::kTap, 0}});
}

TEST_CASE("a tap on the language changes to the next, and after the last to the first") {
  for (const auto& [language, next] : {std::pair(Language::kEnglish, Language::kGerman),
                                       std::pair(Language::kGerman, Language::kSpanish),
                                       std::pair(Language::kSpanish, Language::kEnglish)}) {
    Screen s;
    s.view.language = language;
    s.draw();
    s.tap(40, 262);
    s.tap(74, 189);
    CHECK(s.inputs() == Inputs{{Kind::kLanguage, static_cast<int>(next)}});
  }
}

TEST_CASE("the self-test is begun in the settings, has its page, and a tap closes that") {
  Screen s;
  s.tap(40, 262);
  s.tap(186, 189);
  CHECK(s.inputs() == Inputs{{Kind::kSelfTest, 0}});
  s.view.self_test.run = 1;
  s.view.self_test.phase = SelfTestState::Phase::kRunning;
  s.draw();
  s.tap(160, 120);
  s.draw();
  CHECK(s.inputs().empty());  // it goes on
  CHECK_FALSE(s.shows(kRed, 0, 40, 160, 120));
  s.view.self_test.phase = SelfTestState::Phase::kDone;  // nothing was measured: much is bad
  s.draw();
  CHECK(s.shows(kRed, 0, 40, 160, 120));
  s.tap(160, 120);
  s.draw();
  CHECK(s.inputs().empty());
  CHECK_FALSE(s.shows(kRed, 0, 40, 160, 120));
  s.tap(160, 120);  // now it is the face again
  CHECK(s.inputs() == Inputs{{Kind::kPress, 0}, {Kind::kTap, 0}});
}

TEST_CASE("a self-test that the serial line began shows its page, too") {
  Screen s;
  s.view.self_test.run = 1;
  s.view.self_test.phase = SelfTestState::Phase::kDone;
  s.draw();
  CHECK(s.shows(kRed, 0, 40, 160, 120));
}

TEST_CASE("an open microphone is seen on every screen") {
  for (std::uint8_t state = 0; state < kDeviceStateCount; ++state) {
    Screen s;
    s.view.state = static_cast<DeviceState>(state);
    s.draw();
    CHECK_FALSE(s.shows(kRed, 120, 0, 80, 20));
    s.view.microphone = true;
    s.draw();
    CHECK(s.shows(kRed, 120, 0, 80, 20));
    s.tap(40, 262);
    s.draw();
    CHECK(s.shows(kRed, 120, 0, 80, 20));
  }
}

TEST_CASE("two devices with the same numbers and clock draw the same; a still face moves") {
  Screen a;
  Screen b;
  bool moved = false;
  std::vector<Colour> last = a.pixels;
  for (int frame = 0; frame < 200; ++frame) {
    a.draw(40);
    b.draw(40);
    CHECK(a.pixels == b.pixels);
    moved = moved || last != a.pixels;
    last = a.pixels;
  }
  CHECK(moved);
}

TEST_CASE("a face that was asked for is shown while it thinks, too") {
  const auto thinking = [](Emotion emotion, bool posing) {
    Screen s;
    s.view.state = DeviceState::kThinking;
    s.view.emotion = emotion;
    s.view.posing = posing;
    for (int frame = 0; frame < 40; ++frame) s.draw(20);
    return s.pixels;
  };
  const auto usual = thinking(Emotion::kNeutral, false);
  CHECK(thinking(Emotion::kSad, false) == usual);
  CHECK(thinking(Emotion::kSad, true) != usual);
}

TEST_CASE("the head is calibrated by arrows, on a device that has one") {
  Screen s;
  s.tap(40, 262);
  s.tap(272, 220);
  CHECK(s.inputs().empty());
  s.view.body.kind = BodyKind::kPortA;
  s.draw();
  s.tap(272, 220);
  CHECK(s.inputs() == Inputs{{Kind::kCalibrate, 1}});
  s.tap(160 - 92, 128);  // our left is its right
  s.tap(160 + 92, 128);
  s.tap(160, 128 - 46);
  s.tap(160, 128 + 46);
  s.tap(160, 128);
  s.tap(10, 230);
  CHECK(s.inputs() == Inputs{{Kind::kYawOffset, 1},
                             {Kind::kYawOffset, -1},
                             {Kind::kPitchOffset, 1},
                             {Kind::kPitchOffset, -1}});
  s.tap(160, 219);
  CHECK(s.inputs() == Inputs{{Kind::kCalibrate, 0}});
  s.tap(160, 100);
  CHECK(s.inputs() == Inputs{{Kind::kPress, 0}, {Kind::kTap, 0}});
}

TEST_CASE("a head that moves by itself does not keep the screen awake") {
  for (const bool own : {false, true}) {
    Screen s;
    s.view.clock = true;
    s.view.minute_of_day = 60;
    s.draw();
    for (int passed = 0; passed < 70; ++passed) {
      s.motion.moving = true;
      s.view.body.moves = own;
      s.draw(1000);
    }
    // The clock is there when nobody has done anything for a minute.
    CHECK((s.ui.frame_due(s.view, s.now + Ui::kFrameMs)) == !own);
  }
}
