// Pixels in memory, and what can be drawn on them. The same on the device and on the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/face/pushed_glyphs.h"

namespace lobug {

/// RGB565, as the displays take it (not byte-swapped).
using Colour = std::uint16_t;
constexpr Colour rgb(unsigned red, unsigned green, unsigned blue) {
  return static_cast<Colour>(((red & 0xF8U) << 8U) | ((green & 0xFCU) << 3U) | (blue >> 3U));
}
/// `below` with `above` over it; `opacity` 0 to 32.
constexpr Colour mix(Colour below, Colour above, unsigned opacity) {
  // Green moves to the upper half, so that one multiplication does all three channels.
  constexpr std::uint32_t kMask = 0x07E0F81F;
  const std::uint32_t under = (below | (static_cast<std::uint32_t>(below) << 16U)) & kMask;
  const std::uint32_t over = (above | (static_cast<std::uint32_t>(above) << 16U)) & kMask;
  const std::uint32_t sum = ((under * (32U - opacity) + over * opacity) >> 5U) & kMask;
  return static_cast<Colour>(sum | (sum >> 16U));
}

struct Rect {
  std::int16_t x = 0, y = 0, width = 0, height = 0;
};

/// In 1/16 pixel.
struct Point {
  int x = 0, y = 0;
};

/// Status bar (13 px), captions (19 px), a pairing code's digits (48 px).
enum class FontSize : std::uint8_t { kSmall, kLarge, kCode };

class Damage;

/// Draws with smooth edges onto the caller's pixels; what lies outside is clipped. Integers
/// alone, so that every processor draws the same picture. Coordinates of shapes beyond +-1023 px
/// are taken as that.
class Canvas {
 public:
  /// Columns from this one on stay as they are.
  static constexpr int kMaxWidth = 320;
  /// A polygon may have as many corners.
  static constexpr std::size_t kMaxCorners = 64;

  /// Rows that `pixels` has no room for do not exist.
  Canvas(Span<Colour> pixels, std::int16_t width, std::int16_t height);

  std::int16_t width() const { return width_; }
  std::int16_t height() const { return height_; }
  Span<const Colour> pixels() const { return pixels_; }

  /// From now on shapes draw nothing; each leaves a mark in `damage`, which is begun anew.
  void describe(Damage& damage);
  /// From now on shapes are drawn only where `damage` has found something new. They have to be
  /// those that were described, in the same order.
  void repair(const Damage& damage);
  /// From now on shapes are drawn wherever they are, as at the beginning.
  void draw_all();
  /// Pixels that were written since the beginning; one that three shapes cover counts three times.
  std::uint32_t pixels_drawn() const { return drawn_; }

  void clear(Colour colour);
  void fill_rect(const Rect& area, Colour colour);
  /// Centre and half axes in 1/16 pixel.
  void fill_ellipse(int centre_x, int centre_y, int radius_x, int radius_y, Colour colour);
  void fill_round_rect(const Rect& area, std::int16_t radius, Colour colour);
  /// Corners in 1/16 pixel.
  void fill_triangle(int x0, int y0, int x1, int y1, int x2, int y2, Colour colour);
  /// Any outline, closed by itself; where it overlaps itself an even number of times is outside.
  /// More than kMaxCorners corners: the rest is left out.
  void fill_polygon(Span<const Point> corners, Colour colour);
  /// Ends and thickness in 1/16 pixel; round ends.
  void line(int x0, int y0, int x1, int y1, int thickness, Colour colour);
  /// Pictures for characters that the fonts lack. They have to stay as they are from `describe` to
  /// `repair`. Nullptr: none.
  void lend(const PushedGlyphs* glyphs) { pushed_ = glyphs; }
  /// UTF-8; returns the x behind the last character. y is the top of the line. Small text has
  /// Latin-1's characters and some more, large text the alphabets of Europe; others are what was
  /// lent, or else a box, of the same width.
  int text(int x, int y, std::string_view text, FontSize size, Colour colour);
  static int text_width(std::string_view text, FontSize size);
  static int line_height(FontSize size);
  /// Nothing is drawn outside of it from now on.
  void clip(const Rect& area);
  void unclip();

 private:
  Rect clipped() const;
  void begin_shape();
  /// Whether anything of the shape is to be drawn in this row.
  bool begin_row(int y);
  /// Whether the row's tile around a pixel is to be drawn.
  bool wants(int x) const;
  /// Writes a pixel, if its tile is to be drawn.
  void put(Colour* row, int x, Colour colour);
  void fill(const Rect& area, Colour colour);
  /// Adds a run of a quarter row, from `left` to `right` in 1/16 pixel, to the row's coverage.
  void cover(int left, int right);
  /// Blends the row's coverage in and forgets it.
  void flush_row(int y, Colour colour);
  void blend_glyph(int x, int y, const struct Glyph& glyph, Span<const std::uint8_t> bits,
                   Colour colour);
  void draw_pushed(int x, int y, const PushedGlyph& glyph, Colour colour);
  void draw_box(int x, int y, const struct Font& font, int width, Colour colour);

  Span<Colour> pixels_;
  std::int16_t width_;
  std::int16_t height_;
  // The clip, edges: x from left_ to below right_.
  int left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;
  const PushedGlyphs* pushed_ = nullptr;
  Damage* noted_ = nullptr;                    // where shapes are described, if they are
  const Damage* wanted_ = nullptr;             // what of them is to be drawn; nullptr: all
  std::uint16_t shape_ = 0;                    // counts the shapes of a picture
  int tile_row_ = -1;                          // of `columns_`
  std::uint64_t columns_ = ~std::uint64_t{0};  // tiles of the row that are to be drawn
  std::uint32_t drawn_ = 0;
  // How much of each pixel of the row being drawn is covered (64: all), as differences to the
  // pixel before it, and where anything is.
  std::array<std::int16_t, kMaxWidth + 2> coverage_{};
  int covered_from_ = kMaxWidth, covered_to_ = 0;
};

}  // namespace lobug
