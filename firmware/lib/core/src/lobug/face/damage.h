// What has to be drawn anew: which tiles of a picture are not as they were in the one before.
#pragma once

#include <array>
#include <cstdint>

#include "lobug/base/span.h"
#include "lobug/face/canvas.h"

namespace lobug {

struct Edge;

/// A picture is described before it is drawn: every shape leaves a mark in each tile that it takes
/// part in, made of all that decides its pixels there. A tile whose marks are those of the last
/// picture looks as it did, and is neither drawn nor sent to the display. So no second picture has
/// to be kept and compared, and nothing has to know what moves.
///
/// A shape that fills a whole tile hides what was there: it takes away the marks before its own,
/// and those shapes are not drawn there either. Every picture has to begin with `Canvas::clear`.
///
/// For pictures of at most 320 x 240 pixels. Marks have 64 bits; that two pictures have the same by
/// chance is not to be expected in the life of a device.
class Damage {
 public:
  // Pixels. Lower than wide: a run of tiles goes to the display in one go.
  static constexpr int kTileWidth = 8, kTileHeight = 4;
  static constexpr int kColumns = Canvas::kMaxWidth / kTileWidth;
  static constexpr int kRows = 240 / kTileHeight;

  /// A description begins.
  void begin();
  /// It is complete: from now on `wants` and `take` tell what has changed. False: nothing has.
  bool finish();
  /// The display shows something else: all of the next picture is new.
  void forget() { known_ = false; }

  /// The columns of a row of tiles (bit 0: the left one) in which the n-th shape is to be drawn.
  std::uint64_t wants(int tile_row, std::uint16_t shape) const;
  /// The next part of the picture that has changed, at most `most_rows` rows of pixels (4 or more)
  /// high, which counts as shown from now on. Width 0: there is none.
  Rect take(int most_rows);

  // What shapes leave. `shape` counts them; `within`: the clip.
  void clear(Colour colour, std::uint16_t shape);
  void rect(const Rect& area, Colour colour, const Rect& within, std::uint16_t shape);
  void ellipse(int centre_x, int centre_y, int radius_x, int radius_y, Colour colour,
               const Rect& within, std::uint16_t shape);
  void round_rect(const Rect& area, std::int16_t radius, Colour colour, const Rect& within,
                  std::uint16_t shape);
  void polygon(Span<const Edge> edges, Colour colour, const Rect& within, std::uint16_t shape);
  /// `what`: which picture of which font.
  void glyph(const Rect& area, std::uintptr_t what, Colour colour, const Rect& within,
             std::uint16_t shape);

 private:
  /// What is known of a shape in a tile.
  struct Part {
    enum class Kind : std::uint8_t { kNothing, kAll, kSome };
    Kind kind;
    std::uint64_t mark;  ///< of kSome: all that decides its pixels there
  };
  template <typename Shape>
  void note(Shape& shape_of, const Rect& box, const Rect& within, Colour colour,
            std::uint16_t shape);

  static constexpr std::size_t kTiles = static_cast<std::size_t>(kColumns) * kRows;
  static std::size_t index_of(int column, int row) {
    return static_cast<std::size_t>(row) * kColumns + static_cast<std::size_t>(column);
  }

  std::array<std::uint64_t, kTiles> marks_{};   ///< of the picture being described
  std::array<std::uint64_t, kTiles> before_{};  ///< of the one on the display
  std::array<std::uint16_t, kTiles> first_{};   ///< the shape from which on a tile is seen
  std::array<std::uint64_t, kRows> dirty_{};    ///< columns, by row of tiles
  bool known_ = false;                          ///< `before_` is what the display shows
};

}  // namespace lobug
