// The face: eyes and brows, antennae, mouth, head.
#include "lobug/face/drawing.h"
#include "lobug/face/palette.h"

namespace lobug {
namespace {

constexpr int kColumns = 16;

constexpr int between(int from, int to, int part) { return from + (to - from) * part / 256; }

/// The opening between the lids of one eye; coordinates from the eye's centre in 1/16 pixel.
struct Opening {
  int radius_x = kEyeRadiusX, radius_y = kEyeRadiusY;
  int open = 256;  // of the upper lid
  int smile = 0;   // of the lower one
  int tilt = 0;    // -256 to 256
  int inner = 1;   // which side of the eye the nose is on
  struct Edge {
    int top, bottom;
  };

  /// What is seen of the eye in the column at `x`.
  Edge at(int x) const {
    const int t = clamped(x * 256 / radius_x, -256, 256);
    const int bow = 256 - t * t / 256;  // 256 in the middle, 0 at the ends
    const auto round = static_cast<int>(integer_root(static_cast<std::uint32_t>(65536 - t * t)));
    const int height = radius_y * round / 256;

    // Where the lids meet: hanging when one sleeps, arched when one laughs.
    const int asleep = radius_y * (40 + bow * 60 / 256) / 256;
    const int laughing = radius_y * (70 - bow * 130 / 256) / 256;
    const int meet = between(asleep, laughing, smile);
    const int slant = radius_y * tilt / 256 * t * inner / 256 * 130 / 256 * (open / 2 + 128) / 256;
    const int hooded = radius_y * (tilt < 0 ? -tilt : tilt) / 256 * 30 / 256;
    const int upper = between(meet, -radius_y - radius_y / 16, open) + slant + hooded;
    // The lower lid helps the upper one in the end.
    const int shut = (256 - open) * (256 - open) / 256 * (256 - open) / 256;
    const int lower = between(radius_y + radius_y / 16, meet, smile > shut ? smile : shut);

    Edge edge{upper > -height ? upper : -height, lower < height ? lower : height};
    if (edge.top > edge.bottom) edge.top = edge.bottom = (edge.top + edge.bottom) / 2;
    return edge;
  }
};

/// An ellipse within the eye, as far as the lids let it be seen.
void draw_within(const Brush& eye, const Opening& opening, int cx, int cy, int rx, int ry,
                 Colour colour) {
  std::array<Point, 2 * (kColumns + 1)> outline;
  for (int column = 0; column <= kColumns; ++column) {
    const int angle = 128 * column / kColumns;
    const int x = cx - rx * cosine(angle) / 256;
    const int height = ry * sine(angle) / 256;
    const Opening::Edge edge = opening.at(x);
    int top = cy - height > edge.top ? cy - height : edge.top;
    int bottom = cy + height < edge.bottom ? cy + height : edge.bottom;
    if (top > bottom) top = bottom = clamped(cy, edge.top, edge.bottom);
    outline[static_cast<std::size_t>(column)] = {x, top};
    outline[outline.size() - 1 - static_cast<std::size_t>(column)] = {x, bottom};
  }
  eye.polygon(outline, colour);
}

void draw_lashes(const Brush& eye, const Opening& opening) {
  std::array<Point, kColumns + 1> upper;
  std::array<Point, kColumns + 1> lower;
  for (int column = 0; column <= kColumns; ++column) {
    const int x = -opening.radius_x * cosine(128 * column / kColumns) / 256;
    const Opening::Edge edge = opening.at(x);
    upper[static_cast<std::size_t>(column)] = {x, edge.top};
    lower[static_cast<std::size_t>(column)] = {x, edge.bottom};
  }
  // The lower a lid, the thicker its edge.
  const int tilted = opening.tilt < 0 ? -opening.tilt : opening.tilt;
  const int upper_part = clamped(2 * (256 - opening.open) + tilted, 0, 256);
  const int upper_width = px(5) * upper_part / 256;
  const int lower_width = px(5) * clamped(2 * opening.smile - 128, 0, 256) / 256;
  if (upper_width > 8) eye.path(upper, upper_width, kInk);
  if (lower_width > 8) eye.path(lower, lower_width, kInk);
}

constexpr int kSteps = 12;
constexpr int kLip = px(5);

/// The two lips from the left corner to the right one.
struct Lips {
  std::array<Point, kSteps + 1> upper, lower;
};

Lips lips_of(const FaceState& face, int opened) {
  const int talk = face.mouth * px(30) / 256;
  // A mouth that opens wide gets narrower.
  const int half = clamped(part_of(face, kMouthWidth, px(62)) - talk / 6, px(6), px(64));
  const int bend = part_of(face, kMouthBend, px(16)) * half / px(40);
  const int skew = part_of(face, kMouthSkew, px(8));
  const int wave = part_of(face, kMouthWave, px(5));
  // The upper lip of an open mouth is flatter than the lower one.
  const int flat = 256 - 190 * opened / (opened + px(12));

  Lips lips{};
  for (int step = 0; step <= kSteps; ++step) {
    const int angle = 128 * step / kSteps;
    const int t = -cosine(angle);
    const int bow = bend * (256 - t * t / 256) / 256;
    const int rest = -bend / 2 - skew * t / 256 + wave * sine(t * 3 / 4) / 256;
    const int round = sine(angle);
    const auto index = static_cast<std::size_t>(step);
    const int x = half * t / 256;
    lips.upper[index] = {x, rest + bow * flat / 256 - opened * round / 256 / 4};
    lips.lower[index] = {x, rest + bow + opened * round / 256 * 3 / 4};
  }
  return lips;
}

/// It lies on the lower lip and never above the upper one.
void draw_tongue(const Brush& mouth, const Lips& lips, int opened) {
  constexpr int kFirst = 2;
  constexpr int kCount = kSteps + 1 - 2 * kFirst;
  std::array<Point, 2 * kCount> tongue;
  for (std::size_t index = 0; index < kCount; ++index) {
    const Point upper = lips.upper[index + kFirst];
    const Point lower = lips.lower[index + kFirst];
    const int angle = 128 * static_cast<int>(index) / (kCount - 1);
    const int top = lower.y - opened * 2 / 5 * sine(angle) / 256;
    tongue[index] = {lower.x, top > upper.y ? top : upper.y};
    tongue[tongue.size() - 1 - index] = lower;
  }
  mouth.polygon(tongue, kTongueSkin);
}

constexpr int kHeadY = px(14);
constexpr int kHeadRadiusX = px(140);
constexpr int kHeadRadiusY = px(100);

/// -256 to 256, once every `period_ms`.
int swing(const FaceState& face, std::uint32_t period_ms) {
  return sine(static_cast<int>(face.clock_ms % period_ms * 256 / period_ms));
}

}  // namespace

void draw_eye(const Brush& brush, const FaceState& face, int side) {
  const Brush eye = brush.at(side * kEyeX, kEyeY);
  const Feature lid = side < 0 ? kOpenLeft : kOpenRight;
  const int open = part_of(face, lid, 256);

  Opening opening;
  opening.inner = -side;
  // Wide open eyes are taller.
  const int wide = clamped(open - 256, 0, 80);
  opening.radius_y = kEyeRadiusY + kEyeRadiusY * wide / 2 / 256;
  opening.radius_x = kEyeRadiusX + kEyeRadiusX * wide / 5 / 256;
  opening.open = clamped(open, 0, 256) * (256 - face.blink) / 256;
  opening.smile = clamped(part_of(face, kSmileEyes, 256), 0, 256);
  opening.tilt = clamped(part_of(face, kLidTilt, 256), -256, 256);

  const bool hearts = face.prop == Prop::kHearts;
  if (hearts) opening.open = opening.open * (256 - face.prop_size) / 256;
  if (!hearts || face.prop_size < 200) {
    draw_within(eye, opening, 0, 0, opening.radius_x, opening.radius_y, kEyeWhite);

    const int look_x = clamped(face.features[kLookX] + face.look_x, -1600, 1600);
    const int look_y = clamped(face.features[kLookY] + face.look_y, -1600, 1600);
    // Somebody silly squints.
    const int squint = face.prop == Prop::kTongue ? -side * px(9) * face.prop_size / 256 : 0;
    const int x = px(12) * look_x / 1600 + squint;
    const int y = px(14) * look_y / 1600;
    const int size = clamped(part_of(face, kPupil, 256), 32, 320);
    draw_within(eye, opening, x, y, px(24) * size / 256, px(26) * size / 256, kIris);
    draw_within(eye, opening, x, y, px(18) * size / 256, px(20) * size / 256, kInk);
    const int glint = clamped(size, 128, 320);
    draw_within(eye, opening, x - px(8) * glint / 256, y - px(10) * glint / 256,
                px(7) * glint / 256, px(7) * glint / 256, kEyeWhite);
    draw_within(eye, opening, x + px(8) * glint / 256, y + px(8) * glint / 256, px(3) * glint / 256,
                px(3) * glint / 256, kEyeWhite);
    draw_lashes(eye, opening);
  }
  if (hearts) {
    // Beats twice, then rests.
    const int beat = static_cast<int>(face.clock_ms % 1000);
    const int swell = beat < 400 ? sine(beat * 128 / 200) / 10 : 0;
    draw_heart(eye, 0, px(2), (230 + (swell < 0 ? -swell : swell)) * face.prop_size / 256);
  }
}

void draw_brow(const Brush& brush, const FaceState& face, int side) {
  const int wide = clamped(part_of(face, side < 0 ? kOpenLeft : kOpenRight, 256) - 256, 0, 80);
  int lift = part_of(face, kBrowLift, px(10)) + kEyeRadiusY * wide / 2 / 256;
  if (side > 0) lift += part_of(face, kBrowSkew, px(10));
  const int tilt = part_of(face, kBrowTilt, px(10));
  const int y = kEyeY - kEyeRadiusY - px(8) - lift;
  const int outer = side * (kEyeX + px(20));
  const int inner = side * (kEyeX - px(20));
  const int middle = side * kEyeX;
  const std::array<Point, 5> arc{{{outer, y - tilt / 2 + px(4)},
                                  {(outer + middle) / 2, y - tilt / 4 + px(1)},
                                  {middle, y},
                                  {(inner + middle) / 2, y + tilt / 4 + px(1)},
                                  {inner, y + tilt / 2 + px(4)}}};
  brush.path(arc, px(5), kInk);
}

void draw_mouth(const Brush& brush, const FaceState& face) {
  const Brush mouth = brush.at(0, kMouthY);
  const int rest = part_of(face, kMouthOpen, px(38));
  const int talk = face.mouth * px(36) / 256;
  const int opened = clamped(rest > talk ? rest : talk, 0, px(40));
  const Lips lips = lips_of(face, opened);
  if (opened < px(2)) {
    mouth.path(lips.lower, kLip, kInk);
    return;
  }

  std::array<Point, 2 * (kSteps + 1)> inside;
  for (std::size_t index = 0; index <= kSteps; ++index) {
    inside[index] = lips.upper[index];
    inside[inside.size() - 1 - index] = lips.lower[index];
  }
  mouth.polygon(inside, kMouthInside);
  draw_tongue(mouth, lips, opened);
  mouth.path(lips.upper, kLip, kInk);
  mouth.path(lips.lower, kLip, kInk);
}

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
  // By quarters of a pixel: each step draws the whole face anew.
  const int breath = (swing(face, 3600) + 256) / 64 * px(1) / 4 - px(1);
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
