// The parts of the face's drawing. All take the face's own coordinates (brush.h).
#pragma once

#include "lobug/face/brush.h"
#include "lobug/face/face.h"

namespace lobug {

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
