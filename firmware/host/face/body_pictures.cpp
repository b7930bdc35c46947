#include "body_pictures.h"

#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

#include "lobug/body/body.h"
#include "lobug/face/canvas.h"
#include "lobug/face/fixed.h"
#include "lobug/face/palette.h"
#include "lobug/ui/ui.h"
#include "picture_file.h"
#include "seeded_random.h"

namespace lobug {
namespace {

constexpr Millis kStepMs = 10;
constexpr int kColumns = 6, kRows = 4;
constexpr int kCellWidth = kScreenWidth / kColumns, kCellHeight = kScreenHeight / kRows;

/// Hobby servos that keep where their pulses have turned them to.
class DrawnServos final : public BodyPort {
 public:
  bool has_base() const override { return false; }
  bool open(BodyKind /*kind*/) override { return true; }
  void close() override {}
  void pulse(Axis axis, std::uint16_t microseconds) override {
    strong_[static_cast<std::size_t>(axis)] = microseconds > 0;
    if (microseconds > 0) pulses_[static_cast<std::size_t>(axis)] = microseconds;
  }
  void supply(bool /*on*/) override {}
  void send(Bytes /*frame*/) override {}
  std::size_t receive(MutableBytes /*into*/) override { return 0; }
  std::uint8_t head_touch() override { return 0; }

  /// Tenths of a degree from the middle of its 180 degrees; positive to the right, or up.
  int angle(Axis axis) const {
    constexpr int kRange = HobbyServos::kMostPulse - HobbyServos::kLeastPulse;
    const int pulse = pulses_[static_cast<std::size_t>(axis)];
    return 900 - ((pulse - HobbyServos::kLeastPulse) * 1800 + kRange / 2) / kRange;
  }
  bool strong() const { return strong_[0] || strong_[1]; }

 private:
  std::array<int, kAxisCount> pulses_{1472, 1420};
  std::array<bool, kAxisCount> strong_{};
};

/// A body that has woken up, and what it is told.
struct Actor {
  DrawnServos servos;
  SeededRandom random;
  Body body{servos, random};
  BodyInputs inputs;
  Millis now = 1000;

  Actor() {
    inputs.state = DeviceState::kIdle;
    pass(3000);
  }
  void pass(Millis ms) {
    for (Millis passed = 0; passed < ms; passed += kStepMs) {
      now += kStepMs;
      body.use(BodyKind::kPortA, {});
      body.step(inputs, now);
    }
  }
};

/// Cells, from left to right and down.
class Sheet {
 public:
  Sheet() { canvas_.clear(kNight); }

  /// A head as its servos have turned it, its angles below, a green foot while they are strong.
  void add(const DrawnServos& servos, std::string_view name = {}) {
    const int x = count_ % kColumns * kCellWidth + kCellWidth / 2;
    const int y = count_ / kColumns * kCellHeight + 21;
    ++count_;
    const int yaw = servos.angle(Axis::kYaw);
    const int pitch = servos.angle(Axis::kPitch);
    // Its right is our left. The face is where it looks.
    const int aside = -sine(yaw * 256 / 3600) * 13 / 16;
    const int above = -sine(pitch * 256 / 3600);
    canvas_.fill_rect({static_cast<std::int16_t>(x - 9), static_cast<std::int16_t>(y + 16), 18, 5},
                      servos.strong() ? kGlowListening : kFaint);
    canvas_.fill_ellipse(px(x), px(y), px(19), px(17), kPanel);
    canvas_.fill_ellipse(px(x - 7) + aside, px(y) + above, px(4), px(5), kText);
    canvas_.fill_ellipse(px(x + 7) + aside, px(y) + above, px(4), px(5), kText);
    canvas_.line(px(x - 3) + aside, px(y + 8) + above, px(x + 3) + aside, px(y + 8) + above, px(2),
                 kAccent);
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%d %d", yaw / 10, pitch / 10);
    const std::string_view below = name.empty() ? std::string_view(text.data()) : name;
    canvas_.text(x - Canvas::text_width(below, FontSize::kSmall) / 2, y + 23, below,
                 FontSize::kSmall, kFaint);
  }
  bool save(const std::string& folder, const std::string& name) const {
    return write_picture(canvas_.pixels(), folder + "/body-" + name + ".ppm");
  }

 private:
  std::vector<Colour> pixels_ =
      std::vector<Colour>(static_cast<std::size_t>(kScreenWidth) * kScreenHeight);
  Canvas canvas_{{pixels_.data(), pixels_.size()}, kScreenWidth, kScreenHeight};
  int count_ = 0;
};

/// 24 moments, from the one before it was told on.
bool render_film(const std::string& folder, const std::string& name, Actor& actor, Millis each_ms,
                 void (*tell)(Actor& actor)) {
  Sheet sheet;
  sheet.add(actor.servos);
  tell(actor);
  for (int moment = 1; moment < kColumns * kRows; ++moment) {
    actor.pass(each_ms);
    sheet.add(actor.servos);
  }
  return sheet.save(folder, name);
}

/// How each emotion leaves the head when its movement is over; by angles, which tell them apart.
bool render_poses(const std::string& folder) {
  Sheet angles;
  Sheet names;
  for (std::uint8_t number = 0; number < kEmotionCount; ++number) {
    Actor actor;
    actor.inputs.emotion = static_cast<Emotion>(number);
    actor.inputs.state = DeviceState::kSpeaking;
    actor.pass(700);
    angles.add(actor.servos);
    names.add(actor.servos, name_of(actor.inputs.emotion).substr(0, 7));
  }
  return angles.save(folder, "emotions-angles") && names.save(folder, "emotions");
}

struct Film {
  const char* name;
  Millis each_ms;
  void (*tell)(Actor& actor);
};

const Film kFilms[] = {
    {"nod", 80, [](Actor& a) { (void)a.body.perform(Deed::kNod, 1); }},
    {"shake", 100, [](Actor& a) { (void)a.body.perform(Deed::kShake, 1); }},
    {"dance", 180, [](Actor& a) { (void)a.body.perform(Deed::kDance, 1); }},
    {"bow", 180, [](Actor& a) { (void)a.body.perform(Deed::kBow, 1); }},
    {"look-left", 80, [](Actor& a) { (void)a.body.look(-60, 0, a.now); }},
    {"sad", 100,
     [](Actor& a) {
       a.inputs.emotion = Emotion::kSad;
       a.inputs.state = DeviceState::kSpeaking;
     }},
    {"laughing", 80,
     [](Actor& a) {
       a.inputs.emotion = Emotion::kLaughing;
       a.inputs.state = DeviceState::kSpeaking;
     }},
    {"dark", 120, [](Actor& a) { a.inputs.power = PowerState::kDark; }},
};

}  // namespace

bool render_bodies(const std::string& folder) {
  bool written = render_poses(folder);
  for (const Film& film : kFilms) {
    Actor actor;
    written = render_film(folder, film.name, actor, film.each_ms, film.tell) && written;
  }
  Actor actor;
  (void)actor.body.perform(Deed::kDance, 5);
  actor.pass(500);
  return render_film(folder, "listening", actor, 60,
                     [](Actor& a) { a.inputs.microphone = true; }) &&
         written;
}

}  // namespace lobug
