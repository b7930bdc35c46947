// Pixels in memory, and what can be drawn on them. The same on the device and on the host.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"

namespace lobug {

/// RGB565, as the displays take it (not byte-swapped).
using Colour = std::uint16_t;
constexpr Colour rgb(unsigned red, unsigned green, unsigned blue) {
  return static_cast<Colour>(((red & 0xF8U) << 8U) | ((green & 0xFCU) << 3U) | (blue >> 3U));
}

struct Rect {
  std::int16_t x = 0, y = 0, width = 0, height = 0;
};

enum class FontSize : std::uint8_t { kSmall, kLarge };  ///< status bar, captions

/// Draws with smooth edges onto somebody else's pixels; what lies outside is clipped.
class Canvas {
 public:
  Canvas(Span<Colour> pixels, std::int16_t width, std::int16_t height);

  std::int16_t width() const { return width_; }
  std::int16_t height() const { return height_; }
  Span<const Colour> pixels() const { return pixels_; }

  void clear(Colour colour);
  void fill_rect(const Rect& area, Colour colour);
  /// Centre and half axes in 1/16 pixel.
  void fill_ellipse(int centre_x, int centre_y, int radius_x, int radius_y, Colour colour);
  void fill_round_rect(const Rect& area, std::int16_t radius, Colour colour);
  /// Corners in 1/16 pixel.
  void fill_triangle(int x0, int y0, int x1, int y1, int x2, int y2, Colour colour);
  /// Ends and thickness in 1/16 pixel; round ends.
  void line(int x0, int y0, int x1, int y1, int thickness, Colour colour);
  /// UTF-8 of Latin-1's characters (others as a box); returns the x behind the last one. y is the
  /// top of the line.
  int text(int x, int y, std::string_view text, FontSize size, Colour colour);
  static int text_width(std::string_view text, FontSize size);
  static int line_height(FontSize size);
  /// Nothing is drawn outside of it from now on.
  void clip(const Rect& area);
  void unclip();

 private:
  Span<Colour> pixels_;
  std::int16_t width_;
  std::int16_t height_;
  Rect clip_;
};

}  // namespace lobug
