// How shapes are sampled, row by row: what Canvas draws by and what Damage compares by.
#pragma once

#include <cstdint>

#include "lobug/face/canvas.h"
#include "lobug/face/fixed.h"

namespace lobug {

// Shapes are sampled four times a row, at 2, 6, 10 and 14 sixteenths of it, each with a resolution
// of a sixteenth pixel across: 64 steps from nothing to all.
constexpr int kSamples = 4;
constexpr int kSampleStep = 16 / kSamples;
constexpr int kFull = 64;

/// Height of a row's n-th sample, 1/16 pixel.
constexpr int sample_at(int row, int n) { return px(row) + kSampleStep / 2 + n * kSampleStep; }

/// A polygon's side, downwards. 1/16 pixel.
struct Edge {
  std::int16_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  Edge() = default;
  Edge(const Point& upper, const Point& lower)
      : x0(static_cast<std::int16_t>(upper.x)),
        y0(static_cast<std::int16_t>(upper.y)),
        x1(static_cast<std::int16_t>(lower.x)),
        y1(static_cast<std::int16_t>(lower.y)) {}

  bool crosses(int at) const { return at >= y0 && at < y1; }
  /// Where it crosses the height `at`.
  int x_at(int at) const { return x0 + (x1 - x0) * (at - y0) / (y1 - y0); }
};

/// Half the width of an ellipse at `dy` from its centre; all in 1/16 pixel.
constexpr int half_width(int radius_x, int radius_y, int dy) {
  if (dy <= -radius_y || dy >= radius_y) return 0;
  const int square = radius_y * radius_y - dy * dy;
  // Two bits more of the root make round edges rounder; 511 px squared leave room for them.
  const auto root = static_cast<int>(integer_root(static_cast<std::uint32_t>(square) << 4U));
  return radius_x * root / (4 * radius_y);
}

/// A rectangle with round corners; edges in 1/16 pixel.
struct RoundRect {
  int left, top, right, bottom, radius;

  RoundRect(const Rect& area, std::int16_t corner)
      : left(px(area.x)),
        top(px(area.y)),
        right(px(area.x + area.width)),
        bottom(px(area.y + area.height)) {
    const int shorter = area.width < area.height ? area.width : area.height;
    radius = px(clamped(corner, 0, shorter / 2 < 511 ? shorter / 2 : 511));
  }

  /// How far the corners let it begin behind `left` at the height `at`.
  int inset(int at) const {
    const int upper = top + radius;
    const int lower = bottom - radius;
    const int dy = at < upper ? upper - at : (at > lower ? at - lower : 0);
    return dy > 0 ? radius - half_width(radius, radius, dy) : 0;
  }
};

}  // namespace lobug
