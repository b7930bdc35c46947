#include "lobug/face/damage.h"

#include <algorithm>
#include <cstdlib>

#include "lobug/face/scan.h"

namespace lobug {
namespace {

constexpr int kWide = Damage::kTileWidth;
constexpr int kHigh = Damage::kTileHeight;

constexpr std::uint64_t mixed(std::uint64_t mark, std::uint64_t value) {
  mark = (mark ^ value) * 0x9E3779B97F4A7C15U;
  return mark ^ mark >> 29U;
}

template <typename... Values>
constexpr std::uint64_t mark_of(std::uint64_t kind, Values... values) {
  ((kind = mixed(kind, static_cast<std::uint64_t>(values))), ...);
  return kind;
}

// Different shapes with the same numbers are different.
enum Kind : std::uint8_t { kFill = 1, kRect, kEllipse, kRoundRect, kPolygon, kRun, kGlyph, kClip };

struct Box {
  int left, top, right, bottom;  ///< pixels; right and bottom are outside

  bool empty() const { return left >= right || top >= bottom; }
};

Box box_of(const Rect& area) { return {area.x, area.y, area.x + area.width, area.y + area.height}; }

Box common(const Box& a, const Box& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
          std::min(a.bottom, b.bottom)};
}

/// Pixels, from 1/16 pixel; a little more than the shape has.
Rect around(int left, int top, int right, int bottom) {
  const int x = clamped(left / 16 - 1, 0, Canvas::kMaxWidth);
  const int y = clamped(top / 16 - 1, 0, Damage::kRows * kHigh);
  const int width = clamped(right / 16 + 2, x, Canvas::kMaxWidth) - x;
  const int height = clamped(bottom / 16 + 2, y, Damage::kRows * kHigh) - y;
  return {static_cast<std::int16_t>(x), static_cast<std::int16_t>(y),
          static_cast<std::int16_t>(width), static_cast<std::int16_t>(height)};
}

}  // namespace

void Damage::begin() { marks_.fill(0); }

bool Damage::finish() {
  bool any = false;
  for (int row = 0; row < kRows; ++row) {
    std::uint64_t changed = 0;
    for (int column = 0; column < kColumns; ++column) {
      const std::size_t index = index_of(column, row);
      if (!known_ || marks_[index] != before_[index]) changed |= std::uint64_t{1} << column;
      before_[index] = marks_[index];
    }
    dirty_[static_cast<std::size_t>(row)] = changed;
    any = any || changed != 0;
  }
  known_ = true;
  return any;
}

std::uint64_t Damage::wants(int tile_row, std::uint16_t shape) const {
  if (tile_row < 0 || tile_row >= kRows) return 0;
  std::uint64_t wanted = dirty_[static_cast<std::size_t>(tile_row)];
  for (std::uint64_t left = wanted; left != 0; left &= left - 1) {
    int column = 0;
    while ((left >> column & 1U) == 0) ++column;
    if (shape < first_[index_of(column, tile_row)]) wanted &= ~(std::uint64_t{1} << column);
  }
  return wanted;
}

Rect Damage::take(int most_rows) {
  for (int row = 0; row < kRows; ++row) {
    const std::uint64_t dirty = dirty_[static_cast<std::size_t>(row)];
    if (dirty == 0) continue;
    int left = 0;
    while ((dirty >> left & 1U) == 0) ++left;
    int right = left;
    while (right < kColumns && (dirty >> right & 1U) != 0) ++right;
    const std::uint64_t run = (std::uint64_t{1} << right) - (std::uint64_t{1} << left);
    int below = row;
    while (below < kRows && (below - row + 1) * kHigh <= std::max(most_rows, kHigh) &&
           (dirty_[static_cast<std::size_t>(below)] & run) == run) {
      dirty_[static_cast<std::size_t>(below)] &= ~run;
      ++below;
    }
    return {static_cast<std::int16_t>(left * kWide), static_cast<std::int16_t>(row * kHigh),
            static_cast<std::int16_t>((right - left) * kWide),
            static_cast<std::int16_t>((below - row) * kHigh)};
  }
  return {};
}

void Damage::clear(Colour colour, std::uint16_t shape) {
  marks_.fill(mark_of(kFill, colour));
  first_.fill(shape);
}

// `shape_of.band(top, bottom)` says whether it takes part in these rows, then
// `shape_of.part(left, right)` how in these columns of them.
template <typename Shape>
void Damage::note(Shape& shape_of, const Rect& box, const Rect& within, Colour colour,
                  std::uint16_t shape) {
  const Box picture{0, 0, kColumns * kWide, kRows * kHigh};
  const Box clip = common(box_of(within), picture);
  const Box area = common(box_of(box), clip);
  if (area.empty()) return;
  for (int row = area.top / kHigh; row * kHigh < area.bottom; ++row) {
    const int top = std::max(row * kHigh, clip.top);
    const int bottom = std::min((row + 1) * kHigh, clip.bottom);
    if (!shape_of.band(top, bottom)) continue;
    for (int column = area.left / kWide; column * kWide < area.right; ++column) {
      const int left = std::max(column * kWide, clip.left);
      const int right = std::min((column + 1) * kWide, clip.right);
      const Part part = shape_of.part(left, right);
      if (part.kind == Part::Kind::kNothing) continue;
      const std::size_t index = index_of(column, row);
      const bool whole = right - left == kWide && bottom - top == kHigh;
      if (whole && part.kind == Part::Kind::kAll) {
        marks_[index] = mark_of(kFill, colour);
        first_[index] = shape;
        continue;
      }
      std::uint64_t mark =
          mark_of(part.kind == Part::Kind::kAll ? std::uint64_t{kFill} : part.mark, colour);
      if (!whole) mark = mark_of(kClip, mark, left, top, right, bottom);
      marks_[index] = mixed(marks_[index], mark);
    }
  }
}

void Damage::rect(const Rect& area, Colour colour, const Rect& within, std::uint16_t shape) {
  struct Shape {
    Box area, tile;
    bool band(int top, int bottom) {
      tile.top = top;
      tile.bottom = bottom;
      return true;
    }
    Part part(int left, int right) const {
      const Box seen = common(area, {left, tile.top, right, tile.bottom});
      if (seen.empty()) return {Part::Kind::kNothing, 0};
      const bool all = seen.right - seen.left == right - left &&
                       seen.bottom - seen.top == tile.bottom - tile.top;
      if (all) return {Part::Kind::kAll, 0};
      return {Part::Kind::kSome, mark_of(kRect, seen.left, seen.top, seen.right, seen.bottom)};
    }
  } of{box_of(area), {}};
  note(of, area, within, colour, shape);
}

void Damage::ellipse(int centre_x, int centre_y, int radius_x, int radius_y, Colour colour,
                     const Rect& within, std::uint16_t shape) {
  struct Shape {
    int x, y, radius_x, radius_y;
    int least = 0, most = 0;  ///< half the width, in the band's samples
    bool band(int top, int bottom) {
      const int first = sample_at(top, 0) - y;
      const int last = sample_at(bottom - 1, kSamples - 1) - y;
      const int near = first <= 0 && last >= 0 ? 0 : std::min(std::abs(first), std::abs(last));
      least = half_width(radius_x, radius_y, std::max(std::abs(first), std::abs(last)));
      most = half_width(radius_x, radius_y, near);
      return most > 0;
    }
    Part part(int left, int right) const {
      if (x + most <= px(left) || x - most >= px(right)) return {Part::Kind::kNothing, 0};
      if (least > 0 && x - least <= px(left) && x + least >= px(right)) {
        return {Part::Kind::kAll, 0};
      }
      return {Part::Kind::kSome, mark_of(kEllipse, x, y, radius_x, radius_y)};
    }
  } of{centre_x, centre_y, radius_x, radius_y};
  note(of,
       around(centre_x - radius_x, centre_y - radius_y, centre_x + radius_x, centre_y + radius_y),
       within, colour, shape);
}

void Damage::round_rect(const Rect& area, std::int16_t radius, Colour colour, const Rect& within,
                        std::uint16_t shape) {
  struct Shape {
    Rect area;
    RoundRect round;
    int most = 0;  ///< inset, in the band's samples
    bool whole = false;
    bool band(int top, int bottom) {
      whole = top >= area.y && bottom <= area.y + area.height;
      most = std::max(round.inset(sample_at(top, 0)),
                      round.inset(sample_at(bottom - 1, kSamples - 1)));
      return true;
    }
    Part part(int left, int right) const {
      if (whole && round.left + most <= px(left) && round.right - most >= px(right)) {
        return {Part::Kind::kAll, 0};
      }
      return {Part::Kind::kSome,
              mark_of(kRoundRect, round.left, round.top, round.right, round.bottom, round.radius)};
    }
  } of{area, RoundRect(area, radius)};
  note(of, area, within, colour, shape);
}

void Damage::polygon(Span<const Edge> edges, Colour colour, const Rect& within,
                     std::uint16_t shape) {
  // An edge beside a tile matters only by the samples in which it begins or ends the inside, and
  // one to the right of it not at all. So a lid that sinks changes nothing at the eye's other end.
  static_assert(kHigh * kSamples < 32, "a sample of a band is a bit");
  struct Near {
    std::uint8_t edge;
    std::int16_t left, right;  ///< where it crosses the band's samples
    std::uint32_t switched;    ///< those samples, the first is bit 0
  };
  struct Shape {
    Span<const Edge> edges;  ///< at most kMaxCorners
    std::array<Near, Canvas::kMaxCorners> near{};
    std::size_t count = 0;
    std::uint32_t samples = 0;  ///< all of the band
    bool band(int top, int bottom) {
      count = 0;
      const int first = sample_at(top, 0);
      const int rows = bottom - top;
      samples = (1U << rows * kSamples) - 1U;
      for (std::size_t index = 0; index < edges.size(); ++index) {
        const Edge& edge = edges[index];
        // The samples at or below y0 and above y1.
        const int from = std::max(0, (edge.y0 - first + kSampleStep - 1) / kSampleStep);
        const int to =
            std::min(rows * kSamples,
                     edge.y1 <= first ? 0 : (edge.y1 - first + kSampleStep - 1) / kSampleStep);
        if (from >= to) continue;
        const int x_from = edge.x_at(first + from * kSampleStep);
        const int x_to = edge.x_at(first + (to - 1) * kSampleStep);
        const std::uint32_t bits = (1U << to) - (1U << from);
        near[count++] = {static_cast<std::uint8_t>(index),
                         static_cast<std::int16_t>(std::min(x_from, x_to)),
                         static_cast<std::int16_t>(std::max(x_from, x_to)), bits};
      }
      return count > 0;
    }
    Part part(int left, int right) const {
      std::uint32_t inside = 0;
      std::uint64_t mark = kPolygon;
      bool crossed = false;
      for (std::size_t index = 0; index < count; ++index) {
        const Near& at = near[index];
        if (at.left >= px(right)) continue;
        if (at.right <= px(left)) {
          inside ^= at.switched;
          continue;
        }
        crossed = true;
        const Edge& edge = edges[at.edge];
        mark = mark_of(mark, edge.x0, edge.y0, edge.x1, edge.y1);
      }
      if (crossed) return {Part::Kind::kSome, mark_of(mark, inside)};
      if (inside == 0) return {Part::Kind::kNothing, 0};
      if (inside == samples) return {Part::Kind::kAll, 0};
      return {Part::Kind::kSome, mark_of(kRun, inside)};
    }
  } of{edges};
  if (edges.empty()) return;
  int left = edges[0].x0;
  int right = left;
  int top = edges[0].y0;
  int bottom = top;
  for (const Edge& edge : edges) {
    left = std::min<int>({left, edge.x0, edge.x1});
    right = std::max<int>({right, edge.x0, edge.x1});
    top = std::min<int>(top, edge.y0);
    bottom = std::max<int>(bottom, edge.y1);
  }
  note(of, around(left, top, right, bottom), within, colour, shape);
}

void Damage::glyph(const Rect& area, std::uintptr_t what, Colour colour, const Rect& within,
                   std::uint16_t shape) {
  struct Shape {
    std::uint64_t mark;
    static bool band(int /*top*/, int /*bottom*/) { return true; }
    Part part(int /*left*/, int /*right*/) const { return {Part::Kind::kSome, mark}; }
  } of{mark_of(kGlyph, what, area.x, area.y)};
  note(of, area, within, colour, shape);
}

}  // namespace lobug
