// Pictures of characters, made by scripts/make_font.py.
#pragma once

#include <cstdint>

#include "lobug/base/span.h"

namespace lobug {

/// One character. `left` and `top` lead from the pen and the line's top to the picture.
struct Glyph {
  std::uint16_t code;    ///< Unicode
  std::uint16_t offset;  ///< of its first byte in Font::bits
  std::uint8_t width, height;
  std::int8_t left, top;
  std::uint8_t advance;  ///< pixels to the next character
};

/// Glyphs in ascending order of `code`; 4 bits of opacity a pixel, the first in the upper half.
struct Font {
  Span<const Glyph> glyphs;
  Span<const std::uint8_t> bits;
  std::uint8_t line_height;
  std::uint8_t ascent;  ///< from the line's top to the baseline
};

extern const Font kSmallFont;
extern const Font kLargeFont;
/// Digits, space and hyphen alone.
extern const Font kCodeFont;

}  // namespace lobug
