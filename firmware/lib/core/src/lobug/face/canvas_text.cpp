// Text on a canvas.
#include "lobug/base/east_asian.h"
#include "lobug/base/utf8.h"
#include "lobug/face/canvas.h"
#include "lobug/face/damage.h"
#include "lobug/face/font.h"

namespace lobug {
namespace {

const Font& font_of(FontSize size) {
  switch (size) {
    case FontSize::kSmall:
      return kSmallFont;
    case FontSize::kCode:
      return kCodeFont;
    case FontSize::kLarge:
      break;
  }
  return kLargeFont;
}

const Glyph* find(const Font& font, std::uint32_t character) {
  std::size_t low = 0;
  std::size_t high = font.glyphs.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (font.glyphs[middle].code < character) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == font.glyphs.size() || font.glyphs[low].code != character) return nullptr;
  return &font.glyphs[low];
}

constexpr int kSquare = 16;  // a wide character, with the gap to the next
constexpr int kBoxGap = 2;
constexpr std::uint32_t kSquareSpace = 0x3000;

/// The width of a character that the font lacks: whether it is a pushed picture or an empty box.
int cell_width(const Font& font, std::uint32_t character) {
  return is_wide(character) ? kSquare : font.ascent / 2 + 1 + kBoxGap;
}

/// The character that is drawn in place of another: a plain hyphen for a non-breaking one, a space
/// for a narrow one. 0: nothing is drawn (joiners, variation selectors, control characters, and
/// accents apart from their letter, which is then drawn without).
std::uint32_t drawn_as(std::uint32_t character) {
  if (character < 0x20 || (character >= 0x7F && character < 0xA0)) return 0;
  if (character >= 0x0300 && character < 0x0370) return 0;  // accents that follow their letter
  switch (character) {
    case 0x00AD:  // soft hyphen
    case 0x200B:  // zero width space
    case 0x200C:
    case 0x200D:  // joiners
    case 0x2060:
    case 0xFE0E:  // variation selectors
    case 0xFE0F:
    case 0xFEFF:
      return 0;
    case 0x00A0:
    case 0x2002:
    case 0x2003:
    case 0x2009:
    case 0x202F:
      return ' ';
    case 0x2010:
    case 0x2011:
      return '-';
    case 0x2212:
      return 0x2013;
    default:
      return character;
  }
}

}  // namespace

void Canvas::blend_glyph(int x, int y, const Glyph& glyph, Span<const std::uint8_t> bits,
                         Colour colour) {
  const int from_x = x + glyph.left;
  const int from_y = y + glyph.top;
  begin_shape();
  if (noted_ != nullptr) {
    if (from_x < -kMaxWidth || from_x > kMaxWidth || from_y < -kMaxWidth || from_y > kMaxWidth) {
      return;
    }
    noted_->glyph({static_cast<std::int16_t>(from_x), static_cast<std::int16_t>(from_y),
                   glyph.width, glyph.height},
                  reinterpret_cast<std::uintptr_t>(&glyph), colour, clipped(), shape_);
    return;
  }
  for (int row = 0; row < glyph.height; ++row) {
    const int to_y = from_y + row;
    if (to_y < top_ || to_y >= bottom_ || !begin_row(to_y)) continue;
    Colour* pixels = pixels_.data() + to_y * width_;
    for (int column = 0; column < glyph.width; ++column) {
      const int to_x = from_x + column;
      if (to_x < left_ || to_x >= right_) continue;
      const int index = row * glyph.width + column;
      const unsigned pair = bits[glyph.offset + static_cast<unsigned>(index) / 2U];
      const unsigned level = index % 2 == 0 ? pair >> 4U : pair & 15U;
      // 0 to 15 becomes 0 to 32.
      if (level != 0) put(pixels, to_x, mix(pixels[to_x], colour, (level * 32U + 8U) / 15U));
    }
  }
}

void Canvas::draw_pushed(int x, int y, const PushedGlyph& glyph, Colour colour) {
  begin_shape();
  if (noted_ != nullptr) {
    if (x < -kMaxWidth || x > kMaxWidth || y < -kMaxWidth || y > kMaxWidth) return;
    noted_->glyph(
        {static_cast<std::int16_t>(x), static_cast<std::int16_t>(y), glyph.width, glyph.height},
        pushed_->mark_of(glyph), colour, clipped(), shape_);
    return;
  }
  for (int row = 0; row < glyph.height; ++row) {
    const int to_y = y + row;
    if (to_y < top_ || to_y >= bottom_ || !begin_row(to_y)) continue;
    Colour* pixels = pixels_.data() + to_y * width_;
    const unsigned bits = glyph.rows[static_cast<std::size_t>(row)];
    for (int column = 0; column < glyph.width; ++column) {
      const int to_x = x + column;
      if (to_x < left_ || to_x >= right_) continue;
      if ((bits >> (15 - column) & 1U) != 0) put(pixels, to_x, colour);
    }
  }
}

void Canvas::draw_box(int x, int y, const Font& font, int width, Colour colour) {
  const int top = y + font.ascent / 4;
  const int bottom = y + font.ascent;
  const auto bar = [&](int left, int upper, int bar_width, int height) {
    if (left < -kMaxWidth || left > kMaxWidth || upper < -kMaxWidth || upper > kMaxWidth) return;
    fill_rect({static_cast<std::int16_t>(left), static_cast<std::int16_t>(upper),
               static_cast<std::int16_t>(bar_width), static_cast<std::int16_t>(height)},
              colour);
  };
  bar(x + 1, top, width, 1);
  bar(x + 1, bottom - 1, width, 1);
  bar(x + 1, top, 1, bottom - top);
  bar(x + width, top, 1, bottom - top);
}

int Canvas::text(int x, int y, std::string_view text, FontSize size, Colour colour) {
  const Font& font = font_of(size);
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t character = drawn_as(decode_utf8(text, at));
    if (character == 0) continue;
    if (const Glyph* glyph = find(font, character)) {
      blend_glyph(x, y, *glyph, font.bits, colour);
      x += glyph->advance;
      continue;
    }
    const int width = cell_width(font, character);
    const PushedGlyph* const pushed = pushed_ != nullptr ? pushed_->find(character) : nullptr;
    if (pushed != nullptr && pushed->width <= width) {
      draw_pushed(x + (width - pushed->width) / 2, y + (font.line_height - pushed->height) / 2,
                  *pushed, colour);
    } else if (character != kSquareSpace) {
      draw_box(x, y, font, width - kBoxGap, colour);
    }
    x += width;
  }
  return x;
}

int Canvas::text_width(std::string_view text, FontSize size) {
  const Font& font = font_of(size);
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t character = drawn_as(decode_utf8(text, at));
    if (character == 0) continue;
    const Glyph* glyph = find(font, character);
    width += glyph != nullptr ? glyph->advance : cell_width(font, character);
  }
  return width;
}

int Canvas::line_height(FontSize size) { return font_of(size).line_height; }

}  // namespace lobug
