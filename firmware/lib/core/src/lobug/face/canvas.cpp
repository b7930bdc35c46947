#include "lobug/face/canvas.h"

#include <algorithm>
#include <array>

#include "lobug/face/damage.h"
#include "lobug/face/fixed.h"
#include "lobug/face/scan.h"

namespace lobug {
namespace {

constexpr int kFarthest = px(1023);
constexpr int within(int coordinate) { return clamped(coordinate, -kFarthest, kFarthest); }

Point within(const Point& point) { return {within(point.x), within(point.y)}; }

/// Where the sides `near_edges` of `edges` cross the height `at`, from left to right; how many do.
std::size_t crossings_at(int at, const std::array<Edge, Canvas::kMaxCorners>& edges,
                         Span<const std::uint8_t> near_edges,
                         std::array<std::int16_t, Canvas::kMaxCorners>& crossings) {
  std::size_t count = 0;
  for (const std::uint8_t index : near_edges) {
    const Edge& edge = edges[index];
    if (!edge.crosses(at)) continue;
    const int x = edge.x_at(at);
    // Sorted as they come: there are two, hardly ever more.
    std::size_t place = count++;
    while (place > 0 && crossings[place - 1] > x) {
      crossings[place] = crossings[place - 1];
      --place;
    }
    crossings[place] = static_cast<std::int16_t>(x);
  }
  return count;
}

}  // namespace

Canvas::Canvas(Span<Colour> pixels, std::int16_t width, std::int16_t height)
    : pixels_(pixels), width_(width > 0 ? width : std::int16_t{0}), height_(0) {
  if (width_ > 0 && height > 0) {
    const std::size_t rows = pixels.size() / static_cast<std::size_t>(width_);
    height_ = rows < static_cast<std::size_t>(height) ? static_cast<std::int16_t>(rows) : height;
  }
  unclip();
}

void Canvas::clip(const Rect& area) {
  unclip();
  left_ = clamped(area.x, 0, right_);
  top_ = clamped(area.y, 0, bottom_);
  right_ = clamped(area.x + area.width, left_, right_);
  bottom_ = clamped(area.y + area.height, top_, bottom_);
}

void Canvas::unclip() {
  left_ = top_ = 0;
  right_ = width_ < kMaxWidth ? width_ : kMaxWidth;
  bottom_ = height_;
}

void Canvas::describe(Damage& damage) {
  damage.begin();
  noted_ = &damage;
  wanted_ = nullptr;
  shape_ = 0;
}

void Canvas::repair(const Damage& damage) {
  noted_ = nullptr;
  wanted_ = &damage;
  shape_ = 0;
}

void Canvas::draw_all() {
  noted_ = nullptr;
  wanted_ = nullptr;
  columns_ = ~std::uint64_t{0};
}

Rect Canvas::clipped() const {
  return {static_cast<std::int16_t>(left_), static_cast<std::int16_t>(top_),
          static_cast<std::int16_t>(right_ - left_), static_cast<std::int16_t>(bottom_ - top_)};
}

void Canvas::begin_shape() {
  ++shape_;
  tile_row_ = -1;
}

bool Canvas::begin_row(int y) {
  if (wanted_ == nullptr) return true;
  if (y / Damage::kTileHeight != tile_row_) {
    tile_row_ = y / Damage::kTileHeight;
    columns_ = wanted_->wants(tile_row_, shape_);
  }
  return columns_ != 0;
}

// Asked for every pixel, and a chip of 32 bits shifts 64 of them by a call: so by halves.
bool Canvas::wants(int x) const {
  const auto column = static_cast<unsigned>(x / Damage::kTileWidth);
  const auto half = static_cast<std::uint32_t>(column < 32 ? columns_ : columns_ >> 32U);
  return (half >> column % 32 & 1U) != 0;
}

void Canvas::put(Colour* row, int x, Colour colour) {
  if (!wants(x)) return;
  row[x] = colour;
  ++drawn_;
}

void Canvas::clear(Colour colour) {
  begin_shape();
  if (noted_ != nullptr) {
    noted_->clear(colour, shape_);
    return;
  }
  if (wanted_ != nullptr) {
    fill({0, 0, static_cast<std::int16_t>(clamped(width_, 0, kMaxWidth)), height_}, colour);
    return;
  }
  const int all = static_cast<int>(height_) * width_;
  std::fill_n(pixels_.data(), all, colour);
  drawn_ += static_cast<std::uint32_t>(all);
}

void Canvas::fill_rect(const Rect& area, Colour colour) {
  begin_shape();
  if (noted_ != nullptr) {
    noted_->rect(area, colour, clipped(), shape_);
    return;
  }
  const int left = clamped(area.x, left_, right_);
  const int top = clamped(area.y, top_, bottom_);
  const int right = clamped(area.x + area.width, left, right_);
  const int bottom = clamped(area.y + area.height, top, bottom_);
  fill({static_cast<std::int16_t>(left), static_cast<std::int16_t>(top),
        static_cast<std::int16_t>(right - left), static_cast<std::int16_t>(bottom - top)},
       colour);
}

void Canvas::fill(const Rect& area, Colour colour) {
  for (int y = area.y; y < area.y + area.height; ++y) {
    if (!begin_row(y)) continue;
    Colour* row = pixels_.data() + y * width_;
    for (int x = area.x, next = 0; x < area.x + area.width; x = next) {
      next = std::min((x / Damage::kTileWidth + 1) * Damage::kTileWidth, area.x + area.width);
      if (!wants(x)) continue;
      std::fill(row + x, row + next, colour);
      drawn_ += static_cast<std::uint32_t>(next - x);
    }
  }
}

void Canvas::cover(int left, int right) {
  left = clamped(left, px(left_), px(right_));
  right = clamped(right, px(left_), px(right_));
  if (right <= left) return;
  const int first = left / 16;
  const int last = right / 16;
  const auto add = [this](int x, int change) {
    auto& place = coverage_[static_cast<std::size_t>(x)];
    place = static_cast<std::int16_t>(place + change);
  };
  // A run covers 16 of each pixel within it and a part of those at its ends.
  if (first == last) {
    add(first, right - left);
    add(first + 1, left - right);
  } else {
    const int head = 16 * (first + 1) - left;
    const int tail = right - 16 * last;
    add(first, head);
    add(first + 1, 16 - head);
    add(last, tail - 16);
    add(last + 1, -tail);
  }
  covered_from_ = std::min(covered_from_, first);
  covered_to_ = std::max(covered_to_, last + 1);
}

void Canvas::flush_row(int y, Colour colour) {
  Colour* row = pixels_.data() + y * width_;
  int covered = 0;
  for (int x = covered_from_; x <= covered_to_; ++x) {
    covered += coverage_[static_cast<std::size_t>(x)];
    coverage_[static_cast<std::size_t>(x)] = 0;
    if (covered <= 0 || x >= right_) continue;
    // Shapes that overlap themselves cannot cover a pixel more than wholly.
    put(row, x,
        covered >= kFull ? colour : mix(row[x], colour, static_cast<unsigned>(covered) / 2U));
  }
  covered_from_ = kMaxWidth;
  covered_to_ = 0;
}

void Canvas::fill_ellipse(int centre_x, int centre_y, int radius_x, int radius_y, Colour colour) {
  centre_x = within(centre_x);
  centre_y = within(centre_y);
  radius_x = clamped(radius_x, 0, px(511));
  radius_y = clamped(radius_y, 0, px(511));
  if (radius_x == 0 || radius_y == 0) return;
  begin_shape();
  if (noted_ != nullptr) {
    noted_->ellipse(centre_x, centre_y, radius_x, radius_y, colour, clipped(), shape_);
    return;
  }
  const int first = clamped((centre_y - radius_y) / 16 - 1, top_, bottom_);
  const int last = clamped((centre_y + radius_y) / 16 + 1, top_, bottom_);
  for (int y = first; y < last; ++y) {
    if (!begin_row(y)) continue;
    for (int sample = 0; sample < kSamples; ++sample) {
      const int half = half_width(radius_x, radius_y, sample_at(y, sample) - centre_y);
      if (half > 0) cover(centre_x - half, centre_x + half);
    }
    flush_row(y, colour);
  }
}

void Canvas::fill_round_rect(const Rect& area, std::int16_t radius, Colour colour) {
  if (area.width <= 0 || area.height <= 0) return;
  begin_shape();
  if (noted_ != nullptr) {
    noted_->round_rect(area, radius, colour, clipped(), shape_);
    return;
  }
  const RoundRect round(area, radius);
  const int first = clamped(area.y, top_, bottom_);
  const int last = clamped(area.y + area.height, top_, bottom_);
  for (int y = first; y < last; ++y) {
    if (!begin_row(y)) continue;
    for (int sample = 0; sample < kSamples; ++sample) {
      const int inset = round.inset(sample_at(y, sample));
      cover(round.left + inset, round.right - inset);
    }
    flush_row(y, colour);
  }
}

void Canvas::fill_triangle(int x0, int y0, int x1, int y1, int x2, int y2, Colour colour) {
  const Point corners[] = {{x0, y0}, {x1, y1}, {x2, y2}};
  fill_polygon(corners, colour);
}

void Canvas::fill_polygon(Span<const Point> corners, Colour colour) {
  corners = corners.first(kMaxCorners);
  if (corners.size() < 3) return;
  std::array<Edge, kMaxCorners> edges;
  std::size_t edge_count = 0;
  int highest = kFarthest;
  int lowest = -kFarthest;
  Point from = within(corners[corners.size() - 1]);
  for (const Point& corner : corners) {
    const Point to = within(corner);
    highest = std::min(highest, to.y);
    lowest = std::max(lowest, to.y);
    if (from.y != to.y) edges[edge_count++] = from.y < to.y ? Edge(from, to) : Edge(to, from);
    from = to;
  }
  begin_shape();
  if (noted_ != nullptr) {
    noted_->polygon({edges.data(), edge_count}, colour, clipped(), shape_);
    return;
  }
  const int first = clamped(highest / 16 - 1, top_, bottom_);
  const int last = clamped(lowest / 16 + 1, top_, bottom_);
  std::array<std::uint8_t, kMaxCorners> near_edges;
  std::array<std::int16_t, kMaxCorners> crossings;
  for (int y = first; y < last; ++y) {
    if (!begin_row(y)) continue;
    // Most edges are nowhere near this row: they are looked at once a row, not four times.
    std::size_t near_count = 0;
    for (std::size_t edge = 0; edge < edge_count; ++edge) {
      if (edges[edge].y0 < px(y + 1) && edges[edge].y1 > px(y)) {
        near_edges[near_count++] = static_cast<std::uint8_t>(edge);
      }
    }
    if (near_count == 0) continue;
    for (int sample = 0; sample < kSamples; ++sample) {
      const std::size_t count =
          crossings_at(sample_at(y, sample), edges, {near_edges.data(), near_count}, crossings);
      for (std::size_t index = 0; index + 1 < count; index += 2) {
        cover(crossings[index], crossings[index + 1]);
      }
    }
    flush_row(y, colour);
  }
}

void Canvas::line(int x0, int y0, int x1, int y1, int thickness, Colour colour) {
  x0 = within(x0);
  y0 = within(y0);
  x1 = within(x1);
  y1 = within(y1);
  const int radius = clamped(thickness, 0, px(64)) / 2;
  if (radius == 0) return;
  const int dx = x1 - x0;
  const int dy = y1 - y0;
  const auto length = static_cast<int>(
      integer_root(static_cast<std::uint32_t>(dx * dx) + static_cast<std::uint32_t>(dy * dy)));
  if (length == 0) {
    fill_ellipse(x0, y0, radius, radius, colour);
    return;
  }
  // Along the line, `radius` long.
  const int along_x = dx * radius / length;
  const int along_y = dy * radius / length;
  // Half a circle around each end.
  constexpr int kHalfCircle = 8;
  std::array<Point, 2 * (kHalfCircle + 1)> outline;
  std::size_t corner = 0;
  for (int end = 0; end < 2; ++end) {
    const int centre_x = end == 0 ? x0 : x1;
    const int centre_y = end == 0 ? y0 : y1;
    for (int step = 0; step <= kHalfCircle; ++step) {
      const int angle = 64 + 128 * end + step * 128 / kHalfCircle;
      outline[corner++] = {centre_x + (along_x * cosine(angle) - along_y * sine(angle)) / 256,
                           centre_y + (along_y * cosine(angle) + along_x * sine(angle)) / 256};
    }
  }
  fill_polygon(Span<const Point>(outline.data(), outline.size()), colour);
}

}  // namespace lobug
