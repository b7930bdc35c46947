#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/base/utf8.h"
#include "lobug/face/canvas.h"
#include "lobug/face/font.h"

using namespace lobug;

namespace {

std::vector<std::uint32_t> characters(std::string_view text) {
  std::vector<std::uint32_t> all;
  for (std::size_t at = 0; at < text.size();) all.push_back(decode_utf8(text, at));
  return all;
}

using Characters = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("UTF-8 of one to four bytes is read") {
  CHECK(characters("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82") ==
        Characters{'a', 0xE9, 0x20AC, 0x1F642});
}

TEST_CASE("what is no UTF-8 becomes one replacement a byte, and what follows is read") {
  CHECK(characters("\x80"
                   "a") == Characters{kReplacement, 'a'});                  // continuation
  CHECK(characters("\xC3") == Characters{kReplacement});                    // cut off
  CHECK(characters("\xE2\x82") == Characters{kReplacement, kReplacement});  // cut off
  CHECK(characters("\xC3z") == Characters{kReplacement, 'z'});              // broken
  CHECK(characters("\xC0\xAF") == Characters{kReplacement, kReplacement});  // overlong
  CHECK(characters("\xFF\xFE!") == Characters{kReplacement, kReplacement, '!'});
  CHECK(characters("\xED\xA0\x80").front() == kReplacement);      // surrogate
  CHECK(characters("\xF4\x90\x80\x80").front() == kReplacement);  // too large
}

TEST_CASE("every sequence of bytes ends, and moves on by at least one byte") {
  std::uint32_t state = 7;
  std::string bytes;
  for (int index = 0; index < 20'000; ++index) {
    state = state * 1'664'525 + 1'013'904'223;
    bytes.push_back(static_cast<char>(state >> 24U));
  }
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t before = at;
    const std::uint32_t character = decode_utf8(bytes, at);
    REQUIRE(at > before);
    REQUIRE(at <= bytes.size());
    REQUIRE(character <= 0x10FFFF);
  }
}

TEST_CASE("all of Latin-1 and what models like to write has a picture, in order") {
  for (const Font* font : {&kSmallFont, &kLargeFont}) {
    std::size_t found = 0;
    std::uint32_t before = 0;
    for (const Glyph& glyph : font->glyphs) {
      CHECK(glyph.code > before);
      before = glyph.code;
      const bool latin =
          (glyph.code >= 0x20 && glyph.code < 0x7F) || (glyph.code >= 0xA0 && glyph.code <= 0xFF);
      const bool more = std::u32string_view(U"\u2018\u2019\u201C\u201D\u2013\u2014\u2026\u20AC")
                            .find(glyph.code) != std::u32string_view::npos;
      if (latin || more) ++found;
      // No picture reaches beyond its line or its bits.
      CHECK(glyph.top >= -2);
      CHECK(glyph.top + glyph.height <= font->line_height + 2);
      CHECK(glyph.offset + (glyph.width * glyph.height + 1) / 2 <=
            static_cast<int>(font->bits.size()));
    }
    CHECK(found == 95 + 96 + 8);
  }
}

TEST_CASE("captions have the alphabets of Europe") {
  const auto has = [](std::uint32_t code) {
    for (const Glyph& glyph : kLargeFont.glyphs) {
      if (glyph.code == code) return glyph.width > 0;
    }
    return false;
  };
  for (const std::u32string_view alphabet :
       {U"ĄĆĘŁŃÓŚŹŻąćęłńóśźż", U"ČĎĚŇŘŠŤŮŽčďěňřšťůž", U"ĞİŞğış", U"ŐŰőű", U"ĂÂÎȘȚăâîșț",
        U"ĀĒĢĪĶĻŅŪ", U"АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        U"ЄІЇҐєіїґ", U"ЂЈЉЊЋЏђјљњћџ",
        U"ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ"}) {
    for (const char32_t letter : alphabet) {
      CAPTURE(static_cast<std::uint32_t>(letter));
      CHECK(has(letter));
    }
  }
}

TEST_CASE("an accent apart from its letter takes no room") {
  CHECK(Canvas::text_width("e\xCC\x81", FontSize::kLarge) ==
        Canvas::text_width("e", FontSize::kLarge));
}

TEST_CASE("a text is as wide as it is said to be") {
  std::vector<Colour> pixels(320 * 40);
  Canvas canvas({pixels.data(), pixels.size()}, 320, 40);
  for (const FontSize size : {FontSize::kSmall, FontSize::kLarge, FontSize::kCode}) {
    for (const std::string_view text : {"Hello, Alex!", "Gr\xC3\xBC\xC3\x9F", "", "\xE4\xBD\xA0"}) {
      CHECK(canvas.text(7, 3, text, size, 0xFFFF) == 7 + Canvas::text_width(text, size));
    }
  }
}

TEST_CASE("an unknown character is a box, an invisible one is nothing") {
  const int box = Canvas::text_width("\xE4\xBD\xA0", FontSize::kLarge);
  CHECK(box > 6);
  CHECK(Canvas::text_width("\xE4\xBD\xA0\xE5\xA5\xBD", FontSize::kLarge) == 2 * box);
  CHECK(Canvas::text_width("\xE2\x80\x8D\xEF\xB8\x8F\xC2\xAD\n\t", FontSize::kLarge) == 0);
  CHECK(Canvas::text_width("a\xC2\xA0z", FontSize::kLarge) ==
        Canvas::text_width("a z", FontSize::kLarge));

  std::vector<Colour> pixels(40 * 40);
  Canvas canvas({pixels.data(), pixels.size()}, 40, 40);
  canvas.text(4, 4, "\xE4\xBD\xA0", FontSize::kLarge, 0xFFFF);
  int lit = 0;
  for (const Colour pixel : pixels) lit += pixel == 0xFFFF ? 1 : 0;
  CHECK(lit > 20);
}
