// The head, and the order in which its parts are drawn.
#include "lobug/face/drawing.h"
#include "lobug/face/palette.h"

namespace lobug {
namespace {

constexpr int kHeadY = px(14);
constexpr int kHeadRadiusX = px(140);
constexpr int kHeadRadiusY = px(100);

/// -256 to 256, once every `period_ms`.
int swing(const FaceState& face, std::uint32_t period_ms) {
  return sine(static_cast<int>(face.clock_ms % period_ms * 256 / period_ms));
}

}  // namespace

void draw_antenna(const Brush& brush, const FaceState& face, int side) {
  constexpr int kJoints = 6;
  constexpr int kJoint = px(6);
  // Upright 8/256 of a turn from the vertical, hanging 75/256.
  const int raised = clamped(face.features[kAntennae], -1600, 1600);
  const int sway = swing(face, 2600) * 3 / 256 + face.look_x * side / 250;
  const int angle = 8 + (1600 - raised) * 67 / 3200 + sway;

  std::array<Point, kJoints + 1> curve;
  curve[0] = {side * px(32), kHeadY - kHeadRadiusY + px(5)};
  for (int joint = 1; joint <= kJoints; ++joint) {
    const int bent = angle * (joint + 2) / (kJoints + 1);
    const Point before = curve[static_cast<std::size_t>(joint - 1)];
    curve[static_cast<std::size_t>(joint)] = {before.x + side * kJoint * sine(bent) / 256,
                                              before.y - kJoint * cosine(bent) / 256};
  }
  brush.path(curve, px(5), kHead);
  const Point tip = curve[kJoints];
  int bright = 32;
  if (face.pulse) {
    const int phase = swing(face, 1000) * side;
    bright = 20 + phase * 12 / 256;
  }
  const Colour glow = mix(kNight, face.glow, static_cast<unsigned>(bright));
  brush.ellipse(tip.x, tip.y, px(12), px(12), mix(kNight, glow, 9));
  brush.ellipse(tip.x, tip.y, px(8), px(8), glow);
  brush.ellipse(tip.x - px(2), tip.y - px(3), px(2), px(2), mix(glow, kEyeWhite, 20));
}

void draw_face(Canvas& canvas, const FaceState& face, int centre_x, int centre_y, int scale) {
  // Breathes, bounces when it is loud, trembles when it is angry.
  const int breath = swing(face, 3600) * px(1) / 256;
  const int bounce = -face.excitement * px(3) / 256 * (256 + swing(face, 420)) / 512;
  const int tremble = face.prop == Prop::kAnger ? swing(face, 90) * px(1) / 256 : 0;
  const Brush brush(canvas, centre_x + tremble, centre_y + breath + bounce, scale);

  for (const int side : {-1, 1}) draw_antenna(brush, face, side);
  brush.ellipse(0, kHeadY, kHeadRadiusX, kHeadRadiusY, kHead);
  const int blush = clamped(part_of(face, kBlush, 30), 0, 30);
  for (const int side : {-1, 1}) {
    if (blush > 0) {
      brush.ellipse(side * px(96), px(40), px(20), px(12),
                    mix(kHead, kCheek, static_cast<unsigned>(blush)));
    }
    draw_eye(brush, face, side);
    draw_brow(brush, face, side);
  }
  draw_mouth(brush, face);
  draw_prop(brush, face);
}

}  // namespace lobug
