#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "lobug/face/canvas.h"
#include "support/scripted_random.h"

using namespace lobug;

namespace {

struct Paper {
  // Rows before and behind the canvas must never be touched.
  static constexpr int kWidth = 64, kHeight = 40, kGuard = 64;
  std::vector<Colour> memory = std::vector<Colour>(kWidth * kHeight + 2 * kGuard, 0x1234);
  Canvas canvas{
      {memory.data() + kGuard, static_cast<std::size_t>(kWidth * kHeight)}, kWidth, kHeight};

  Paper() { canvas.clear(0); }
  Colour at(int x, int y) const {
    return memory[static_cast<std::size_t>(kGuard + y * kWidth + x)];
  }
  bool guarded() const {
    for (int i = 0; i < kGuard; ++i) {
      if (memory[static_cast<std::size_t>(i)] != 0x1234) return false;
      if (memory[memory.size() - 1 - static_cast<std::size_t>(i)] != 0x1234) return false;
    }
    return true;
  }
  int painted() const {
    int count = 0;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) count += at(x, y) != 0 ? 1 : 0;
    }
    return count;
  }
};

}  // namespace

TEST_CASE("a rectangle covers its pixels and no other") {
  Paper p;
  p.canvas.fill_rect({3, 4, 5, 6}, 0xFFFF);
  CHECK(p.painted() == 30);
  CHECK(p.at(3, 4) == 0xFFFF);
  CHECK(p.at(7, 9) == 0xFFFF);
  CHECK(p.at(8, 9) == 0);
}

TEST_CASE("an ellipse is symmetric, full within and smooth at its edge") {
  Paper p;
  p.canvas.fill_ellipse(32 * 16, 20 * 16, 10 * 16, 10 * 16, 0xFFFF);
  CHECK(p.at(32, 20) == 0xFFFF);
  CHECK(p.painted() > 290);  // pi r r = 314
  CHECK(p.painted() < 370);
  int grey = 0;
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 32; ++x) {
      CHECK(p.at(x, y) == p.at(63 - x, y));
      grey += p.at(x, y) != 0 && p.at(x, y) != 0xFFFF ? 1 : 0;
    }
  }
  CHECK(grey > 10);
}

TEST_CASE("what lies outside is clipped, wherever and however large it is") {
  Paper p;
  ScriptedRandom random;
  const auto number = [&] { return static_cast<int>(random.below(60000)) - 30000; };
  for (int round = 0; round < 2000; ++round) {
    const auto small = [&] { return static_cast<std::int16_t>(number()); };
    switch (random.below(6)) {
      case 0:
        p.canvas.fill_rect({small(), small(), small(), small()}, 0xFFFF);
        break;
      case 1:
        p.canvas.fill_ellipse(number(), number(), number(), number(), 0xFFFF);
        break;
      case 2:
        p.canvas.fill_round_rect({small(), small(), small(), small()}, small(), 0xFFFF);
        break;
      case 3:
        p.canvas.fill_triangle(number(), number(), number(), number(), number(), number(), 0xFFFF);
        break;
      case 4:
        p.canvas.line(number(), number(), number(), number(), number(), 0xFFFF);
        break;
      default:
        p.canvas.text(number() / 100, number() / 100, "Lo-Bug \xC3\xA9\xFF", FontSize::kLarge,
                      0xFFFF);
        break;
    }
  }
  CHECK(p.guarded());
}

TEST_CASE("nothing is drawn outside of the clip") {
  Paper p;
  p.canvas.clip({10, 10, 20, 5});
  p.canvas.fill_rect({0, 0, 64, 40}, 0xFFFF);
  CHECK(p.painted() == 100);
  p.canvas.unclip();
  p.canvas.fill_rect({0, 0, 64, 40}, 0xFFFF);
  CHECK(p.painted() == 64 * 40);
}

TEST_CASE("text is as wide as it says, and what no font has is a box, not nothing") {
  Paper p;
  const int end = p.canvas.text(2, 2, "Hi", FontSize::kSmall, 0xFFFF);
  CHECK(end == 2 + Canvas::text_width("Hi", FontSize::kSmall));
  CHECK(p.painted() > 10);
  CHECK(Canvas::text_width("", FontSize::kLarge) == 0);
  CHECK(Canvas::text_width("\xE4\xBD\xA0", FontSize::kLarge) > 4);
  CHECK(Canvas::text_width("\xC3\xA9", FontSize::kLarge) > 4);
  CHECK(Canvas::text_width("ab", FontSize::kLarge) ==
        Canvas::text_width("a", FontSize::kLarge) + Canvas::text_width("b", FontSize::kLarge));
}
