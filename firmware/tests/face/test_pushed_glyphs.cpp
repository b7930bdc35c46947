#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "lobug/face/canvas.h"
#include "lobug/face/damage.h"
#include "lobug/face/pushed_glyphs.h"

using namespace lobug;

namespace {

constexpr Colour kWhite = 0xFFFF;

/// A picture with a dot in its upper left and lower right corner.
PushedGlyph dotted(std::uint16_t code, std::uint8_t width = 16, std::uint8_t height = 16) {
  PushedGlyph glyph;
  glyph.code = code;
  glyph.width = width;
  glyph.height = height;
  glyph.rows[0] = 0x8000;
  glyph.rows[height - 1U] = static_cast<std::uint16_t>(1U << (16 - width));
  return glyph;
}

struct Page {
  std::vector<Colour> pixels = std::vector<Colour>(64 * 32);
  Canvas canvas{{pixels.data(), pixels.size()}, 64, 32};
  std::unique_ptr<PushedGlyphs> glyphs = std::make_unique<PushedGlyphs>();

  void push(const PushedGlyph& glyph) {
    REQUIRE(glyphs->push(glyph));
    glyphs->take();
  }
  int lit() const {
    int count = 0;
    for (const Colour pixel : pixels) count += pixel != 0 ? 1 : 0;
    return count;
  }
  Colour at(int x, int y) const { return pixels[static_cast<std::size_t>(y * 64 + x)]; }
};

}  // namespace

TEST_CASE("a picture is found once it was taken, and the newest of a character counts") {
  auto glyphs = std::make_unique<PushedGlyphs>();
  CHECK(glyphs->find(0x65E5) == nullptr);
  REQUIRE(glyphs->push(dotted(0x65E5)));
  CHECK(glyphs->find(0x65E5) == nullptr);
  glyphs->take();
  REQUIRE(glyphs->find(0x65E5) != nullptr);
  const auto first = glyphs->mark_of(*glyphs->find(0x65E5));
  REQUIRE(glyphs->push(dotted(0x65E5, 8)));
  glyphs->take();
  CHECK(glyphs->find(0x65E5)->width == 8);
  CHECK(glyphs->mark_of(*glyphs->find(0x65E5)) != first);
  CHECK(glyphs->find(0) == nullptr);
  CHECK(glyphs->find(0x165E5) == nullptr);
}

TEST_CASE("the newest 256 are kept, and a queue that is full says so") {
  auto glyphs = std::make_unique<PushedGlyphs>();
  for (std::uint16_t code = 0; code < PushedGlyphs::kWaiting; ++code) {
    CHECK(glyphs->push(dotted(static_cast<std::uint16_t>(0x4E00 + code))));
  }
  CHECK_FALSE(glyphs->push(dotted(0x6000)));
  glyphs->take();
  for (std::uint16_t code = PushedGlyphs::kWaiting; code < PushedGlyphs::kKept; ++code) {
    CHECK(glyphs->push(dotted(static_cast<std::uint16_t>(0x4E00 + code))));
  }
  glyphs->take();
  CHECK(glyphs->find(0x4E00) != nullptr);
  CHECK(glyphs->find(0x4EFF) != nullptr);
  CHECK(glyphs->push(dotted(0x6000)));
  glyphs->take();
  CHECK(glyphs->find(0x4E00) == nullptr);
  CHECK(glyphs->find(0x4E01) != nullptr);
  CHECK(glyphs->find(0x6000) != nullptr);
}

TEST_CASE("what was lent is drawn in place of the box, and takes the same room") {
  Page page;
  const int box = page.canvas.text(0, 0, "\xE6\x97\xA5", FontSize::kLarge, kWhite);
  CHECK(box == 16);
  CHECK(page.lit() > 20);
  page.canvas.clear(0);
  page.canvas.lend(page.glyphs.get());
  page.push(dotted(0x65E5));
  CHECK(page.canvas.text(0, 0, "\xE6\x97\xA5", FontSize::kLarge, kWhite) == box);
  CHECK(Canvas::text_width("\xE6\x97\xA5", FontSize::kLarge) == box);
  CHECK(page.lit() == 2);
  CHECK(page.at(0, 3) == kWhite);
  CHECK(page.at(15, 18) == kWhite);
}

TEST_CASE("a small picture stands in the middle of its place, one that is too wide is a box") {
  Page page;
  page.canvas.lend(page.glyphs.get());
  page.push(dotted(0x2192, 8, 8));  // an arrow: not a square character
  const int width = page.canvas.text(0, 0, "\xE2\x86\x92", FontSize::kLarge, kWhite);
  CHECK(width == Canvas::text_width("\xE2\x86\x92", FontSize::kLarge));
  CHECK(page.lit() == 2);
  CHECK(page.at((width - 8) / 2, 7) == kWhite);
  page.canvas.clear(0);
  page.push(dotted(0x2192, 16, 16));
  page.canvas.text(0, 0, "\xE2\x86\x92", FontSize::kLarge, kWhite);
  CHECK(page.lit() > 20);
}

TEST_CASE("at the edges and outside of the clip nothing is drawn") {
  Page page;
  page.canvas.lend(page.glyphs.get());
  PushedGlyph full = dotted(0x65E5);
  full.rows.fill(0xFFFF);
  page.push(full);
  page.canvas.text(-8, -8, "\xE6\x97\xA5", FontSize::kLarge, kWhite);
  CHECK(page.lit() == 8 * 11);
  page.canvas.text(60, 25, "\xE6\x97\xA5", FontSize::kLarge, kWhite);
  CHECK(page.lit() == 8 * 11 + 4 * 4);
  page.canvas.clear(0);
  page.canvas.clip({4, 4, 4, 4});
  page.canvas.text(0, 0, "\xE6\x97\xA5", FontSize::kLarge, kWhite);
  CHECK(page.lit() == 16);
  page.canvas.text(-30000, 30000, "\xE6\x97\xA5", FontSize::kLarge, kWhite);
  CHECK(page.lit() == 16);
}

TEST_CASE("an ideographic space is empty and has its width") {
  Page page;
  CHECK(page.canvas.text(0, 0, "\xE3\x80\x80", FontSize::kLarge, kWhite) == 16);
  CHECK(page.lit() == 0);
}
