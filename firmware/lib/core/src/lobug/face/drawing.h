// The parts of the face's drawing. All take the face's own coordinates (Brush).
#pragma once

#include <array>
#include <cstddef>

#include "lobug/face/canvas.h"
#include "lobug/face/face.h"
#include "lobug/face/fixed.h"

namespace lobug {

/// Takes 1/16 pixel from the face's centre, at scale 256.
class Brush {
 public:
  Brush(Canvas& canvas, int centre_x, int centre_y, int scale)
      : canvas_(canvas), x_(centre_x), y_(centre_y), scale_(scale) {}

  int x(int local) const { return x_ + length(local); }
  int y(int local) const { return y_ + length(local); }
  int length(int local) const { return local * scale_ / 256; }

  /// A brush that is moved and shrunk: for a prop, or an eye.
  Brush at(int local_x, int local_y, int scale = 256) const {
    return Brush(canvas_, x(local_x), y(local_y), scale_ * scale / 256);
  }

  void ellipse(int cx, int cy, int rx, int ry, Colour colour) const {
    canvas_.fill_ellipse(x(cx), y(cy), length(rx), length(ry), colour);
  }
  void line(int x0, int y0, int x1, int y1, int thickness, Colour colour) const {
    canvas_.line(x(x0), y(y0), x(x1), y(y1), length(thickness), colour);
  }
  /// A line through all points.
  template <std::size_t N>
  void path(const std::array<Point, N>& points, int thickness, Colour colour) const {
    for (std::size_t index = 1; index < N; ++index) {
      line(points[index - 1].x, points[index - 1].y, points[index].x, points[index].y, thickness,
           colour);
    }
  }
  template <std::size_t N>
  void polygon(std::array<Point, N> points, Colour colour) const {
    for (Point& point : points) point = {x(point.x), y(point.y)};
    canvas_.fill_polygon(Span<const Point>(points.data(), N), colour);
  }

 private:
  Canvas& canvas_;
  int x_, y_, scale_;
};

// Where things are, from the face's centre.
constexpr int kEyeX = px(62);
constexpr int kEyeY = px(-9);
constexpr int kEyeRadiusX = px(37);
constexpr int kEyeRadiusY = px(41);
constexpr int kMouthY = px(64);

/// A feature in percent times 16, as a part of `whole`.
inline int part_of(const FaceState& face, Feature feature, int whole) {
  return face.features[feature] * whole / 1600;
}

/// `side`: -1 left, 1 right.
void draw_eye(const Brush& brush, const FaceState& face, int side);
void draw_brow(const Brush& brush, const FaceState& face, int side);
void draw_antenna(const Brush& brush, const FaceState& face, int side);
void draw_mouth(const Brush& brush, const FaceState& face);
/// What lies over the face: tears, shades, question marks.
void draw_prop(const Brush& brush, const FaceState& face);
void draw_heart(const Brush& brush, int x, int y, int scale);

}  // namespace lobug
