// Text that is too long for the screen: broken into lines and scrolled at reading pace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/text.h"
#include "lobug/face/canvas.h"

namespace lobug {

/// Where one line lies in the text, bytes.
struct Line {
  std::uint16_t begin = 0, length = 0;
};

constexpr std::size_t kMostLines = 40;

/// Breaks at spaces, between square characters (`may_break`), at line ends, and within a word that
/// is wider than `width` pixels. Text after the last of `lines` is left out. Returns the number of
/// lines.
std::size_t wrap(std::string_view text, FontSize size, int width, Span<Line> lines);

/// A text in an area of the screen.
class Captions {
 public:
  /// Reading pace: time for one line.
  static constexpr Millis kLineMs = 1900;

  /// Shows a text; if it is shown already, scrolling continues.
  void show(std::string_view text, Millis now);
  bool empty() const { return text_.empty(); }
  /// `area` is `rows` lines high; centred when it all fits.
  void draw(Canvas& canvas, const Rect& area, int rows, Colour colour, Millis now);

 private:
  Text<512> text_;
  Millis shown_at_ = 0;
  std::array<Line, kMostLines> lines_{};
  std::size_t count_ = 0;
  int width_ = 0;
};

/// One line, centred at `x`.
void draw_centred(Canvas& canvas, int x, int y, std::string_view text, FontSize size,
                  Colour colour);
/// Wrapped and centred below `y`; returns the y below it.
int draw_paragraph(Canvas& canvas, int x, int y, int width, std::string_view text, FontSize size,
                   Colour colour);

}  // namespace lobug
