// Areas, edges and senseless coordinates of the canvas's shapes.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "lobug/face/canvas.h"
#include "lobug/face/fixed.h"

using namespace lobug;

namespace {

constexpr Colour kBright = rgb(255, 255, 255);

/// A canvas with memory around it that nobody may touch.
class Sheet {
 public:
  Sheet(std::int16_t width, std::int16_t height)
      : memory_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) + 2 * kMargin,
                kGuard),
        canvas({memory_.data() + kMargin, memory_.size() - 2 * kMargin}, width, height) {
    canvas.clear(0);
  }
  Colour at(int x, int y) const {
    return canvas.pixels()[static_cast<std::size_t>(y * canvas.width() + x)];
  }
  bool guarded() const {
    for (std::size_t index = 0; index < kMargin; ++index) {
      if (memory_[index] != kGuard || memory_[memory_.size() - 1 - index] != kGuard) return false;
    }
    return true;
  }
  /// How much of it is white, in hundredths of a pixel.
  int covered() const {
    int sum = 0;
    for (const Colour pixel : canvas.pixels()) sum += ((pixel >> 5U) & 63) * 100 / 63;
    return sum;
  }

 private:
  static constexpr std::size_t kMargin = 1000;
  static constexpr Colour kGuard = 0x1234;
  std::vector<Colour> memory_;

 public:
  Canvas canvas;
};

bool close_to(int value, int wanted, int percent) {
  const int off = value > wanted ? value - wanted : wanted - value;
  return off * 100 <= wanted * percent;
}

}  // namespace

TEST_CASE("colours mix channel by channel") {
  CHECK(mix(0xABCD, 0x1234, 0) == 0xABCD);
  CHECK(mix(0xABCD, 0x1234, 32) == 0x1234);
  CHECK(mix(0x0000, 0xFFFF, 16) == ((15U << 11U) | (31U << 5U) | 15U));
  CHECK(mix(rgb(255, 0, 255), rgb(0, 255, 0), 16) == mix(rgb(0, 255, 0), rgb(255, 0, 255), 16));
}

TEST_CASE("an ellipse has the area that geometry gives it") {
  Sheet sheet(100, 80);
  sheet.canvas.fill_ellipse(px(50), px(40), px(30), px(20), kBright);
  CHECK(close_to(sheet.covered(), 188'496, 1));  // pi * 30 * 20
}

TEST_CASE("polygons cover what lies within them, whatever way round") {
  Sheet sheet(60, 60);
  SUBCASE("a triangle is half of its box") {
    sheet.canvas.fill_triangle(px(10), px(10), px(50), px(10), px(10), px(50), kBright);
    CHECK(close_to(sheet.covered(), 80'000, 1));
  }
  SUBCASE("its corners the other way round") {
    sheet.canvas.fill_triangle(px(10), px(50), px(50), px(10), px(10), px(10), kBright);
    CHECK(close_to(sheet.covered(), 80'000, 1));
  }
  SUBCASE("a dent stays empty") {
    const Point arrow[] = {{px(10), px(10)}, {px(30), px(30)}, {px(50), px(10)}, {px(30), px(50)}};
    sheet.canvas.fill_polygon(arrow, kBright);
    CHECK(close_to(sheet.covered(), 40'000, 2));
    CHECK(sheet.at(30, 20) == 0);
  }
  SUBCASE("two corners are no polygon") {
    const Point two[] = {{px(10), px(10)}, {px(50), px(50)}};
    sheet.canvas.fill_polygon(two, kBright);
    CHECK(sheet.covered() == 0);
  }
  SUBCASE("more corners than a polygon may have") {
    std::vector<Point> many(500, Point{px(10), px(10)});
    many[1] = {px(50), px(10)};
    many[2] = {px(10), px(50)};
    sheet.canvas.fill_polygon({many.data(), many.size()}, kBright);
    CHECK(close_to(sheet.covered(), 80'000, 1));
  }
}

TEST_CASE("a line is as long and thick as asked, in every direction, with round ends") {
  Sheet sheet(80, 80);
  SUBCASE("across") { sheet.canvas.line(px(20), px(40), px(60), px(40), px(8), kBright); }
  SUBCASE("down") { sheet.canvas.line(px(40), px(20), px(40), px(60), px(8), kBright); }
  SUBCASE("aslant") { sheet.canvas.line(px(52), px(56), px(28), px(24), px(8), kBright); }
  const int covered = sheet.covered();
  CAPTURE(covered);
  CHECK(close_to(covered, 37'027, 4));  // 40 * 8 + pi * 4 * 4
}

TEST_CASE("a line without length is a dot, without thickness nothing") {
  Sheet sheet(20, 20);
  sheet.canvas.line(px(5), px(5), px(15), px(15), 0, kBright);
  CHECK(sheet.covered() == 0);
  sheet.canvas.line(px(10), px(10), px(10), px(10), px(8), kBright);
  CHECK(close_to(sheet.covered(), 5027, 3));
}

TEST_CASE("a round rectangle lacks its corners alone; too large a radius makes half circles") {
  Sheet sheet(60, 40);
  sheet.canvas.fill_round_rect({10, 10, 40, 20}, 8, kBright);
  CHECK(close_to(sheet.covered(), 74'506, 1));
  CHECK(sheet.at(10, 20) == kBright);
  CHECK(sheet.at(10, 10) == 0);
  Sheet pill(60, 40);
  pill.canvas.fill_round_rect({10, 10, 40, 20}, 99, kBright);
  CHECK(close_to(pill.covered(), 71'416, 1));
}

TEST_CASE("senseless coordinates neither crash nor leave the canvas") {
  constexpr int kHuge[] = {-2'000'000'000, -70'000, -1, 0, 1, 70'000, 2'000'000'000};
  Sheet sheet(33, 17);
  for (const int a : kHuge) {
    for (const int b : kHuge) {
      sheet.canvas.fill_ellipse(a, b, b, a, kBright);
      sheet.canvas.line(a, b, b, a, a, kBright);
      sheet.canvas.fill_triangle(a, b, b, a, 5, 5, kBright);
      sheet.canvas.text(a / 4, b / 4, "x\xE4\xBD\xA0y", FontSize::kLarge, kBright);
      const auto c = static_cast<std::int16_t>(a);
      const auto d = static_cast<std::int16_t>(b);
      sheet.canvas.fill_rect({c, d, d, c}, kBright);
      sheet.canvas.fill_round_rect({c, d, d, c}, c, kBright);
      sheet.canvas.clip({c, d, d, c});
      sheet.canvas.fill_ellipse(0, 0, px(99), px(99), kBright);
      sheet.canvas.unclip();
    }
  }
  sheet.canvas.fill_round_rect({0, 0, 32'767, 32'767}, 32'767, kBright);
  CHECK(sheet.guarded());
}

TEST_CASE("a canvas with less memory than it claims has the rows that there is room for") {
  std::array<Colour, 25> few{};
  Canvas canvas({few.data(), few.size()}, 10, 100);
  CHECK(canvas.height() == 2);
  canvas.clear(kBright);
  CHECK(few[19] == kBright);
  CHECK(few[20] == 0);
  Canvas none(Span<Colour>(), 10, 10);
  none.clear(kBright);
  none.fill_ellipse(px(5), px(5), px(5), px(5), kBright);
  CHECK(none.height() == 0);
}

TEST_CASE("columns beyond the widest stay as they are") {
  Sheet sheet(400, 20);
  sheet.canvas.fill_ellipse(px(330), px(10), px(60), px(8), kBright);
  CHECK(sheet.at(319, 10) == kBright);
  CHECK(sheet.at(320, 10) == 0);
  CHECK(sheet.guarded());
}

TEST_CASE("fixed arithmetic: roots, sines and steps") {
  for (std::uint32_t value = 0; value < 70'000; ++value) {
    const std::uint32_t root = integer_root(value);
    REQUIRE(root * root <= value);
    REQUIRE((root + 1) * (root + 1) > value);
  }
  CHECK(integer_root(0xFFFFFFFFU) == 65'535U);
  CHECK(sine(0) == 0);
  CHECK(sine(64) == 256);
  CHECK(sine(192) == -256);
  CHECK(sine(-64) == -256);
  CHECK(cosine(256) == 256);
  CHECK(approached(0, 100, 33, 33) == 50);
  CHECK(approached(99, 100, 1, 1000) == 100);
  CHECK(approached(5, 5, 33, 33) == 5);
}
