// What is put together from changes is what would have been drawn in full, pixel by pixel; and how
// much less that is to draw and to send.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "lobug/face/palette.h"
#include "lobug/language/phrases.h"
#include "lobug/ui/ui.h"
#include "support/scripted_random.h"

using namespace lobug;

namespace {

constexpr std::size_t kPixels = std::size_t{320} * 240;
constexpr Millis kFrameMs = 40;  // as the device's screen does it

/// A screen that draws changes, the display that they are sent to, and a twin that draws in full.
struct Twins {
  ScriptedRandom random_a, random_b;
  Queue<Input, 16> queue_a, queue_b;
  Ui changing, full;
  std::vector<Colour> picture = std::vector<Colour>(kPixels, 0xAAAA);
  std::vector<Colour> display = std::vector<Colour>(kPixels, 0x5555);
  std::vector<Colour> whole = std::vector<Colour>(kPixels);
  Canvas canvas{{picture.data(), kPixels}, 320, 240};
  Canvas whole_canvas{{whole.data(), kPixels}, 320, 240};
  std::unique_ptr<PushedGlyphs> glyphs = std::make_unique<PushedGlyphs>();
  Damage damage;
  View view;
  Motion motion;
  std::uint8_t level = 0;
  Millis now = 1000;
  std::size_t sent = 0;          ///< pixels to the display, by the last frame
  std::uint32_t drawn = 0;       ///< pixels drawn, by the last frame
  std::uint32_t drawn_full = 0;  ///< and what the twin drew

  explicit Twins(bool buttons_below = true)
      : changing(random_a, queue_a, buttons_below), full(random_b, queue_b, buttons_below) {
    view.state = DeviceState::kIdle;
    view.volume = 60;
    canvas.lend(glyphs.get());
    whole_canvas.lend(glyphs.get());
  }

  void touch(bool down, int x, int y) {
    const Touch finger{down, static_cast<std::int16_t>(x), static_cast<std::int16_t>(y)};
    changing.touch(finger, now);
    full.touch(finger, now);
    Input input;
    while (queue_a.pop(input)) {
    }
    while (queue_b.pop(input)) {
    }
  }
  void frame(Millis ms = kFrameMs) {
    now += ms;
    const std::uint32_t before = canvas.pixels_drawn();
    const std::uint32_t before_full = whole_canvas.pixels_drawn();
    changing.draw_changes(canvas, damage, view, motion, level, now);
    full.draw(whole_canvas, view, motion, level, now);
    drawn = canvas.pixels_drawn() - before;
    drawn_full = whole_canvas.pixels_drawn() - before_full;
    sent = 0;
    for (Rect part = damage.take(60); part.width > 0; part = damage.take(60)) {
      REQUIRE(part.height <= 60);
      for (int y = part.y; y < part.y + part.height; ++y) {
        const auto at = static_cast<std::size_t>(y * 320 + part.x);
        std::copy_n(picture.begin() + static_cast<std::ptrdiff_t>(at), part.width,
                    display.begin() + static_cast<std::ptrdiff_t>(at));
      }
      sent += static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height);
    }
  }
  bool same() const { return display == whole && picture == whole; }
};

const std::string_view kTexts[] = {
    "",
    "It is noon.",
    "Zw\xC3\xB6lf Boxk\xC3\xA4mpfer jagen Viktor quer \xC3\xBC"
    "ber den gro\xC3\x9F"
    "en Sylter "
    "Deich, und niemand wei\xC3\x9F warum sie das seit Jahren jeden Montag tun.",
    "\xE4\xBD\xA0\xE5\xA5\xBD",
    "one\ntwo\nthree\nfour",
    english()[Phrase::kBatteryLow],
    english()[Phrase::kBatteryEmpty],
};
constexpr std::size_t kTextCount = sizeof kTexts / sizeof kTexts[0];

/// Changes one thing of what is seen.
void change(Twins& t, ScriptedRandom& random) {
  const auto text = [&] { return kTexts[random.below(kTextCount)]; };
  switch (random.below(28)) {
    case 0:
    case 1:
    case 2:
      t.view.state = static_cast<DeviceState>(random.below(kDeviceStateCount));
      break;
    case 3:
    case 4:
      t.view.emotion = static_cast<Emotion>(random.below(kEmotionCount));
      break;
    case 5:
      t.view.trouble = static_cast<Trouble>(random.below(12));
      break;
    case 6:
      t.view.caption.assign(text());
      break;
    case 7:
      t.view.heard.assign(text());
      break;
    case 8:
      t.view.notice.assign(text());
      break;
    case 9:
      t.view.code.assign(random.below(2) == 0 ? "123456" : "987601");
      t.view.server_name.assign(text());
      break;
    case 10:
      t.view.setup_network.assign("Lo-Bug-eeff");
      t.view.setup_key.assign(random.below(3) == 0 ? "" : "40718253");
      t.view.setup_address.assign("http://192.168.4.1");
      break;
    case 11:
      t.view.wifi = random.below(2) == 0;
      t.view.wifi_dbm = static_cast<std::int8_t>(-40 - static_cast<int>(random.below(50)));
      t.view.server = random.below(2) == 0;
      break;
    case 12:
      t.view.microphone = random.below(2) == 0;
      t.view.posing = random.below(2) == 0;
      break;
    case 13:
      t.view.battery = static_cast<std::uint8_t>(random.below(101));
      t.view.battery_known = random.below(4) != 0;
      t.view.charging = random.below(2) == 0;
      break;
    case 14:
      t.view.volume = static_cast<std::uint8_t>(random.below(101));
      t.view.brightness = static_cast<std::uint8_t>(random.below(101));
      break;
    case 15:
      t.view.captions = random.below(3) != 0;
      t.view.wake_word = random.below(2) == 0;
      t.view.talk_mode = static_cast<TalkMode>(random.below(3));
      break;
    case 16:
      t.view.update_percent = static_cast<std::uint8_t>(random.below(101));
      t.view.retry_s = static_cast<std::uint16_t>(random.below(90));
      break;
    case 17:
      t.motion.gaze_x = static_cast<float>(random.below(200)) / 100.0F - 1.0F;
      t.motion.gaze_y = static_cast<float>(random.below(200)) / 100.0F - 1.0F;
      t.motion.moving = random.below(2) == 0;
      break;
    case 18: {
      const int x = static_cast<int>(random.below(320));
      const int y = static_cast<int>(random.below(280));
      t.touch(true, x, y);
      if (random.below(2) == 0) t.frame();
      t.touch(random.below(8) == 0, x, y);
      break;
    }
    case 26: {  // a picture comes, another one or in place of one that was there
      PushedGlyph glyph;
      glyph.code = random.below(2) == 0 ? 0x4F60 : 0x597D;
      glyph.width = glyph.height = 16;
      for (std::uint16_t& row : glyph.rows) row = static_cast<std::uint16_t>(random.below(0x10000));
      REQUIRE(t.glyphs->push(glyph));
      t.glyphs->take();
      break;
    }
    case 27:
      t.view.language = static_cast<Language>(random.below(kLanguageCount));
      break;
    case 19:
      t.view.clock = random.below(4) != 0;
      t.view.minute_of_day = static_cast<std::int16_t>(static_cast<int>(random.below(1441)) - 1);
      t.view.date = random.below(2) == 0 ? CalendarDay{4, 26, 11} : CalendarDay{0, 1, 5};
      break;
    case 20:
      t.view.timers = static_cast<std::uint8_t>(random.below(4));
      t.view.timer_total_s = static_cast<std::uint32_t>(random.below(7200));
      t.view.timer_left_s = static_cast<std::uint32_t>(random.below(7200));
      t.view.timer_label.assign(text().substr(0, 30));
      break;
    case 21:
      t.view.ringing = random.below(2) == 0;
      break;
    case 22:
      t.view.power = static_cast<PowerState>(random.below(5));
      t.view.powered = random.below(2) == 0;
      break;
    case 23:
      t.view.self_test.run = static_cast<std::uint8_t>(random.below(3));
      t.view.self_test.phase = static_cast<SelfTestState::Phase>(random.below(4));
      break;
    case 24:
      // Nothing is to be said and nobody is there: clock or timers come after a long pause.
      t.view.state = DeviceState::kIdle;
      t.view.caption.clear();
      t.view.notice.clear();
      t.motion.moving = false;
      break;
    default:
      t.level = static_cast<std::uint8_t>(random.below(256));
      break;
  }
}

std::size_t count(const Twins& t, Colour colour) {
  return static_cast<std::size_t>(std::count(t.whole.begin(), t.whole.end(), colour));
}

}  // namespace

TEST_CASE("changes put together are the whole picture, whatever happens in whatever order") {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    Twins t(seed % 2 == 0);
    ScriptedRandom random({}, seed);
    for (int step = 0; step < 150; ++step) {
      CAPTURE(step);
      for (std::size_t count = random.below(3); count > 0; --count) change(t, random);
      const std::size_t pause = random.below(12);
      t.frame(pause == 0   ? 400000
              : pause == 1 ? 900
              : pause < 4  ? 0
                           : 20 + static_cast<Millis>(random.below(60)));
      REQUIRE(t.same());
    }
  }
}

TEST_CASE("a quiet screen put together from changes: clock, timers, an alarm, the battery") {
  for (const bool buttons_below : {true, false}) {
    Twins t(buttons_below);
    t.view.clock = true;
    t.view.date = {4, 26, 11};
    t.frame();
    t.frame(Ui::kQuietMs);
    // The clock, each minute.
    for (int minute = 0; minute < 1440; minute += 37) {
      t.view.minute_of_day = static_cast<std::int16_t>(minute);
      t.frame(Ui::kClockFrameMs);
      REQUIRE(t.same());
    }
    CHECK(count(t, kText) > 2000);
    t.frame(Ui::kClockFrameMs);
    CHECK(t.sent * 4 < kPixels);  // the face alone may still move
    // Timers in its place, down to the last seconds.
    t.view.timers = 2;
    t.view.timer_total_s = 4000;
    t.view.timer_label.assign("Tea");
    for (std::uint32_t left = 4000; left > 0; left = left > 50 ? left * 4 / 5 : left - 1) {
      t.view.timer_left_s = left;
      t.frame(Ui::kClockFrameMs);
      REQUIRE(t.same());
    }
    CHECK(count(t, kHead) == 0);
    t.frame(Ui::kClockFrameMs);
    CHECK(t.sent == 0);  // the same second again
    // It rings, and the battery runs low meanwhile.
    t.view.ringing = true;
    for (int frame = 0; frame < 60; ++frame) {
      t.view.notice.assign(frame < 30 ? "Tea" : english()[Phrase::kBatteryLow]);
      t.frame();
      REQUIRE(t.same());
      REQUIRE(t.sent > 0);
    }
    CHECK(count(t, kWarning) > 1000);
    // A finger ends it; the other timer stays beside the face.
    t.view.ringing = false;
    t.view.timers = 1;
    t.touch(true, 160, 100);
    t.frame();
    t.touch(false, 160, 100);
    for (int frame = 0; frame < 40; ++frame) {
      if (frame == 20) t.view.notice.clear();
      t.view.timer_left_s = static_cast<std::uint32_t>(300 - frame);
      t.frame();
      REQUIRE(t.same());
    }
    CHECK(count(t, kHead) > 10000);
    t.view.power = PowerState::kFarewell;
    t.view.notice.assign(english()[Phrase::kBatteryEmpty]);
    for (int frame = 0; frame < 20; ++frame) {
      t.frame();
      REQUIRE(t.same());
    }
  }
}

TEST_CASE("a display that has forgotten its picture gets all of it") {
  Twins t;
  t.frame();
  t.frame();
  std::fill(t.display.begin(), t.display.end(), Colour{0});
  t.damage.forget();
  t.frame();
  CHECK(t.sent == kPixels);
  CHECK(t.same());
}

TEST_CASE("shapes of every kind, at random: tiles that look the same are the same") {
  ScriptedRandom random;
  std::vector<Colour> picture(kPixels, 0x1111);
  std::vector<Colour> whole(kPixels, 0x2222);
  Canvas canvas({picture.data(), kPixels}, 320, 240);
  Canvas whole_canvas({whole.data(), kPixels}, 320, 240);
  Damage damage;
  struct Shape {
    int kind;
    int numbers[8];
    Colour colour;
  };
  std::vector<Shape> shapes;
  const auto number = [&](int from, int to) {
    return from + static_cast<int>(random.below(static_cast<std::size_t>(to - from)));
  };
  const auto renew = [&](Shape& shape) {
    shape.kind = static_cast<int>(random.below(7));
    for (int& value : shape.numbers) value = number(-400, 5600);
    shape.colour = static_cast<Colour>(random.below(65536));
  };
  const auto paint = [&](Canvas& on) {
    on.unclip();
    on.clear(0x0841);
    for (const Shape& shape : shapes) {
      const int* n = shape.numbers;
      const auto pixel = [&](int index) { return static_cast<std::int16_t>(n[index] / 16); };
      switch (shape.kind) {
        case 0:
          on.fill_rect({pixel(0), pixel(1), pixel(2), pixel(3)}, shape.colour);
          break;
        case 1:
          on.fill_ellipse(n[0], n[1], n[2] / 3, n[3] / 3, shape.colour);
          break;
        case 2:
          on.fill_round_rect({pixel(0), pixel(1), pixel(2), pixel(3)},
                             static_cast<std::int16_t>(n[4] / 64), shape.colour);
          break;
        case 3: {
          const Point corners[] = {{n[0], n[1]}, {n[2], n[3]}, {n[4], n[5]}, {n[6], n[7]}};
          on.fill_polygon(corners, shape.colour);
          break;
        }
        case 4:
          on.line(n[0], n[1], n[2], n[3], n[4] / 16, shape.colour);
          break;
        case 5:
          on.text(pixel(0), pixel(1),
                  "Gr\xC3\xBC\xC3\x9F"
                  "e, \xE4\xBD\xA0!",
                  FontSize::kLarge, shape.colour);
          break;
        default:
          on.clip({pixel(0), pixel(1), pixel(2), pixel(3)});
          break;
      }
    }
  };
  for (int count = 0; count < 12; ++count) {
    shapes.emplace_back();
    renew(shapes.back());
  }
  for (int step = 0; step < 200; ++step) {
    CAPTURE(step);
    Shape& shape = shapes[random.below(12)];
    if (random.below(4) == 0) {
      renew(shape);
    } else {
      shape.numbers[random.below(8)] += number(-40, 40);
    }
    canvas.describe(damage);
    paint(canvas);
    if (damage.finish()) {
      canvas.repair(damage);
      paint(canvas);
    }
    canvas.draw_all();
    paint(whole_canvas);
    REQUIRE(picture == whole);
  }
}

TEST_CASE("a blink costs at most a tenth of a full frame, drawn and sent") {
  // The lids of both eyes, as they move in frames of 40 ms; everything else stays where it is.
  ScriptedRandom random;
  Face face(random);
  FaceInput input;
  input.expression = &expression_of(Emotion::kNeutral);
  std::vector<Colour> picture(kPixels);
  Canvas canvas({picture.data(), kPixels}, 320, 240);
  Damage damage;
  FaceState shown;
  const auto paint = [&] {
    canvas.clear(0);
    draw_face(canvas, shown, 160 * 16, 136 * 16, 232);
  };
  paint();
  const std::size_t full = canvas.pixels_drawn();
  int blinks = 0;
  std::size_t most_sent = 0;
  std::size_t most_drawn = 0;
  for (int frame = 0; frame < 1500; ++frame) {
    face.update(input, 1000 + static_cast<Millis>(frame) * kFrameMs);
    if (frame == 0) shown = face.state();
    const bool blinking = shown.blink != face.state().blink;
    shown.blink = face.state().blink;
    canvas.describe(damage);
    paint();
    const std::uint32_t before = canvas.pixels_drawn();
    if (damage.finish()) {
      canvas.repair(damage);
      paint();
    }
    std::size_t sent = 0;
    for (Rect part = damage.take(60); part.width > 0; part = damage.take(60)) {
      sent += static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height);
    }
    if (frame == 0) continue;
    CHECK((sent > 0) == blinking);
    blinks += blinking ? 1 : 0;
    most_sent = std::max(most_sent, sent);
    most_drawn = std::max<std::size_t>(most_drawn, canvas.pixels_drawn() - before);
  }
  MESSAGE(blinks << " frames of blinks: at most " << most_sent << " pixels sent of " << kPixels
                 << ", " << most_drawn << " drawn of " << full);
  CHECK(blinks >= 50);
  CHECK(most_sent * 10 <= kPixels);
  CHECK(most_drawn * 10 <= full);
}

TEST_CASE("awake and idle a frame is a fraction of a full one") {
  Twins t;
  t.frame();
  std::size_t sent = 0;
  std::size_t drawn = 0;
  std::size_t full = 0;
  constexpr std::size_t kFrames = 600;  // 24 s: several blinks and glances
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    t.frame();
    REQUIRE(t.same());
    sent += t.sent;
    drawn += t.drawn;
    full += t.drawn_full;
  }
  MESSAGE("idle: on average " << sent / kFrames << " pixels sent, " << drawn / kFrames
                              << " drawn of " << full / kFrames);
  CHECK(sent / kFrames * 8 <= kPixels);
  CHECK(drawn * 8 <= full);
}

TEST_CASE("asleep little is drawn, and nothing while nothing moves") {
  Twins t;
  t.frame();
  t.frame(Ui::kAsleepMs);
  for (int frame = 0; frame < 100; ++frame) t.frame();  // falls asleep
  std::size_t still = 0;
  std::size_t sent = 0;
  std::size_t drawn = 0;
  constexpr int kFrames = 500;
  for (int frame = 0; frame < kFrames; ++frame) {
    t.frame();
    REQUIRE(t.same());
    still += t.sent == 0 ? 1 : 0;
    sent += t.sent;
    drawn += t.drawn;
  }
  MESSAGE("asleep: " << still << " of " << kFrames << " frames draw nothing; on average "
                     << sent / kFrames << " pixels sent, " << drawn / kFrames << " drawn");
  CHECK(still * 2 >= kFrames);
  CHECK(sent / kFrames * 25 <= kPixels);
}
