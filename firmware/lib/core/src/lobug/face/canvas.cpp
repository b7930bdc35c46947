#include "lobug/face/canvas.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "lobug/base/utf8.h"
#include "lobug/face/fixed.h"
#include "lobug/face/font.h"

namespace lobug {
namespace {

// Shapes are sampled four times a row, at 2, 6, 10 and 14 sixteenths of it, each with a resolution
// of a sixteenth pixel across: 64 steps from nothing to all.
constexpr int kSamples = 4;
constexpr int kSampleStep = 16 / kSamples;
constexpr int kFull = 64;

constexpr int kFarthest = px(1023);
constexpr int within(int coordinate) { return clamped(coordinate, -kFarthest, kFarthest); }

Point within(const Point& point) { return {within(point.x), within(point.y)}; }

/// A polygon's side, downwards.
struct Edge {
  std::int16_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  Edge() = default;
  Edge(const Point& upper, const Point& lower)
      : x0(static_cast<std::int16_t>(upper.x)),
        y0(static_cast<std::int16_t>(upper.y)),
        x1(static_cast<std::int16_t>(lower.x)),
        y1(static_cast<std::int16_t>(lower.y)) {}
};

/// Where the sides `near_edges` of `edges` cross the height `at`, from left to right; how many do.
std::size_t crossings_at(int at, const std::array<Edge, Canvas::kMaxCorners>& edges,
                         Span<const std::uint8_t> near_edges,
                         std::array<std::int16_t, Canvas::kMaxCorners>& crossings) {
  std::size_t count = 0;
  for (const std::uint8_t index : near_edges) {
    const Edge& edge = edges[index];
    if (at < edge.y0 || at >= edge.y1) continue;
    const int x = edge.x0 + (edge.x1 - edge.x0) * (at - edge.y0) / (edge.y1 - edge.y0);
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

/// Half the width of an ellipse at `dy` from its centre; all in 1/16 pixel.
int half_width(int radius_x, int radius_y, int dy) {
  if (dy <= -radius_y || dy >= radius_y) return 0;
  const int square = radius_y * radius_y - dy * dy;
  // Two bits more of the root make round edges rounder; 511 px squared leave room for them.
  const auto root = static_cast<int>(integer_root(static_cast<std::uint32_t>(square) << 4U));
  return radius_x * root / (4 * radius_y);
}

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

/// What stands for a character that the font lacks: an empty box, as wide as it is here.
constexpr int box_width(const Font& font) { return font.ascent / 2 + 1; }
constexpr int kBoxGap = 2;

/// The character that is drawn in place of another: a plain hyphen for a non-breaking one, a space
/// for a narrow one. 0: nothing is drawn (joiners, variation selectors, control characters).
std::uint32_t drawn_as(std::uint32_t character) {
  if (character < 0x20 || (character >= 0x7F && character < 0xA0)) return 0;
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

void Canvas::clear(Colour colour) {
  std::fill_n(pixels_.data(), static_cast<int>(height_) * width_, colour);
}

void Canvas::fill_rect(const Rect& area, Colour colour) {
  const int left = area.x > left_ ? area.x : left_;
  const int top = area.y > top_ ? area.y : top_;
  const int right = area.x + area.width < right_ ? area.x + area.width : right_;
  const int bottom = area.y + area.height < bottom_ ? area.y + area.height : bottom_;
  for (int y = top; y < bottom; ++y) {
    Colour* row = pixels_.data() + y * width_;
    for (int x = left; x < right; ++x) row[x] = colour;
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
    row[x] = covered >= kFull ? colour : mix(row[x], colour, static_cast<unsigned>(covered) / 2U);
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
  const int first = clamped((centre_y - radius_y) / 16 - 1, top_, bottom_);
  const int last = clamped((centre_y + radius_y) / 16 + 1, top_, bottom_);
  for (int y = first; y < last; ++y) {
    for (int sample = 0; sample < kSamples; ++sample) {
      const int dy = px(y) + kSampleStep / 2 + sample * kSampleStep - centre_y;
      const int half = half_width(radius_x, radius_y, dy);
      if (half > 0) cover(centre_x - half, centre_x + half);
    }
    flush_row(y, colour);
  }
}

void Canvas::fill_round_rect(const Rect& area, std::int16_t radius, Colour colour) {
  if (area.width <= 0 || area.height <= 0) return;
  const int shorter = area.width < area.height ? area.width : area.height;
  const int round = px(clamped(radius, 0, shorter / 2 < 511 ? shorter / 2 : 511));
  const int upper = px(area.y) + round;
  const int lower = px(area.y + area.height) - round;
  const int first = clamped(area.y, top_, bottom_);
  const int last = clamped(area.y + area.height, top_, bottom_);
  for (int y = first; y < last; ++y) {
    for (int sample = 0; sample < kSamples; ++sample) {
      const int at = px(y) + kSampleStep / 2 + sample * kSampleStep;
      const int dy = at < upper ? upper - at : (at > lower ? at - lower : 0);
      const int inset = dy > 0 ? round - half_width(round, round, dy) : 0;
      cover(px(area.x) + inset, px(area.x + area.width) - inset);
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
  const int first = clamped(highest / 16 - 1, top_, bottom_);
  const int last = clamped(lowest / 16 + 1, top_, bottom_);
  std::array<std::uint8_t, kMaxCorners> near_edges;
  std::array<std::int16_t, kMaxCorners> crossings;
  for (int y = first; y < last; ++y) {
    // Most edges are nowhere near this row: they are looked at once a row, not four times.
    std::size_t near_count = 0;
    for (std::size_t edge = 0; edge < edge_count; ++edge) {
      if (edges[edge].y0 < px(y + 1) && edges[edge].y1 > px(y)) {
        near_edges[near_count++] = static_cast<std::uint8_t>(edge);
      }
    }
    if (near_count == 0) continue;
    for (int sample = 0; sample < kSamples; ++sample) {
      const int at = px(y) + kSampleStep / 2 + sample * kSampleStep;
      const std::size_t count = crossings_at(at, edges, {near_edges.data(), near_count}, crossings);
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

void Canvas::blend_glyph(int x, int y, const Glyph& glyph, Span<const std::uint8_t> bits,
                         Colour colour) {
  const int from_x = x + glyph.left;
  const int from_y = y + glyph.top;
  for (int row = 0; row < glyph.height; ++row) {
    const int to_y = from_y + row;
    if (to_y < top_ || to_y >= bottom_) continue;
    Colour* pixels = pixels_.data() + to_y * width_;
    for (int column = 0; column < glyph.width; ++column) {
      const int to_x = from_x + column;
      if (to_x < left_ || to_x >= right_) continue;
      const int index = row * glyph.width + column;
      const unsigned pair = bits[glyph.offset + static_cast<unsigned>(index) / 2U];
      const unsigned level = index % 2 == 0 ? pair >> 4U : pair & 15U;
      // 0 to 15 becomes 0 to 32.
      if (level != 0) pixels[to_x] = mix(pixels[to_x], colour, (level * 32U + 8U) / 15U);
    }
  }
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
    const int width = box_width(font);
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
    x += width + kBoxGap;
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
    width += glyph != nullptr ? glyph->advance : box_width(font) + kBoxGap;
  }
  return width;
}

int Canvas::line_height(FontSize size) { return font_of(size).line_height; }

Rows changed_rows(Span<const Colour> before, Span<const Colour> after, std::int16_t width,
                  std::int16_t height) {
  const auto columns = static_cast<std::size_t>(width);
  const auto differs = [&](int row) {
    const std::size_t at = static_cast<std::size_t>(row) * columns;
    return std::memcmp(before.data() + at, after.data() + at, columns * sizeof(Colour)) != 0;
  };
  int first = 0;
  while (first < height && !differs(first)) ++first;
  int last = height;
  while (last > first && !differs(last - 1)) --last;
  return {static_cast<std::int16_t>(first), static_cast<std::int16_t>(last - first)};
}

}  // namespace lobug
