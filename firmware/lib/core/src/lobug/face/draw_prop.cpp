// What comes with a feeling: tears, hearts, shades, question marks.
#include "lobug/face/drawing.h"
#include "lobug/face/palette.h"

namespace lobug {
namespace {

constexpr Colour kShade = rgb(20, 20, 30);
constexpr Colour kShine = rgb(96, 104, 150);
constexpr Colour kCross = rgb(255, 88, 80);
constexpr Colour kStar = rgb(255, 226, 120);

/// 0 to 256, from the beginning to the end of each period; `late` parts of 256 behind.
int progress(const FaceState& face, std::uint32_t period_ms, int late = 0) {
  const auto phase = static_cast<int>(face.clock_ms % period_ms * 256 / period_ms);
  return (phase + 256 - late) % 256;
}

void draw_drop(const Brush& brush, int x, int y, int size, Colour colour) {
  // A round belly and a point above it.
  brush.ellipse(x, y, size, size, colour);
  const std::array<Point, 3> point{{{x - size * 15 / 16, y - size / 3},
                                    {x, y - size * 5 / 2},
                                    {x + size * 15 / 16, y - size / 3}}};
  brush.polygon(point, colour);
  brush.ellipse(x - size / 3, y, size / 4, size / 3, mix(colour, kEyeWhite, 24));
}

void draw_star(const Brush& brush, int x, int y, int size) {
  std::array<Point, 8> corners;
  for (int corner = 0; corner < 8; ++corner) {
    const int radius = corner % 2 == 0 ? size : size / 4;
    corners[static_cast<std::size_t>(corner)] = {x + radius * sine(corner * 32) / 256,
                                                 y - radius * cosine(corner * 32) / 256};
  }
  brush.polygon(corners, kStar);
}

void draw_z(const Brush& brush, int x, int y, int size, Colour colour) {
  const std::array<Point, 4> letter{{{x, y}, {x + size, y}, {x, y + size}, {x + size, y + size}}};
  brush.path(letter, size / 4 + px(1), colour);
}

void draw_tears(const Brush& brush, const FaceState& face) {
  for (const int side : {-1, 1}) {
    const int x = side * (kEyeX + px(4));
    const int top = kEyeY + px(34);
    const int length = px(54) * face.prop_size / 256;
    const std::array<Point, 2> stream{{{x, top}, {x, top + length}}};
    brush.path(stream, px(12), kTear);
    // A light patch runs down.
    const int run = length * progress(face, 700, side > 0 ? 128 : 0) / 256;
    brush.ellipse(x, top + run, px(3), px(6), mix(kTear, kEyeWhite, 24));
  }
}

void draw_shades(const Brush& brush, const FaceState& face) {
  // They come down from above.
  const int y = kEyeY - px(60) * (256 - face.prop_size) / 256;
  const Brush shades = brush.at(0, y);
  for (const int side : {-1, 1}) {
    const int x = side * kEyeX;
    const std::array<Point, 8> glass{{{x - px(47), -px(36)},
                                      {x + px(47), -px(36)},
                                      {x + px(49), -px(28)},
                                      {x + px(44), px(26)},
                                      {x + px(28), px(43)},
                                      {x - px(28), px(43)},
                                      {x - px(44), px(26)},
                                      {x - px(49), -px(28)}}};
    shades.polygon(glass, kShade);
    shades.line(x - px(22), px(10), x - px(4), -px(14), px(6), kShine);
    shades.line(x - px(6), px(14), x + px(8), -px(6), px(3), kShine);
    shades.line(side * (kEyeX + px(40)), -px(31), side * px(130), -px(36), px(7), kShade);
  }
  shades.line(-px(20), -px(29), px(20), -px(29), px(10), kShade);
}

void draw_tongue(const Brush& brush, int x, int y, int length, int half) {
  brush.line(x, y, x, y + length, 2 * half, kTongueSkin);
  brush.line(x, y, x, y + length * 2 / 3, px(2), mix(kTongueSkin, kMouthInside, 12));
}

void draw_question(const Brush& brush, Colour colour) {
  constexpr std::array<Point, 9> hook{{{-px(9), -px(16)},
                                       {-px(7), -px(22)},
                                       {px(0), -px(26)},
                                       {px(7), -px(23)},
                                       {px(9), -px(16)},
                                       {px(6), -px(9)},
                                       {px(1), -px(5)},
                                       {px(0), -px(1)},
                                       {px(0), px(2)}}};
  brush.path(hook, px(6), colour);
  brush.ellipse(0, px(11), px(4), px(4), colour);
}

void draw_anger(const Brush& brush) {
  // The four bent lines of a swollen vein.
  for (const int right : {-1, 1}) {
    for (const int down : {-1, 1}) {
      const std::array<Point, 3> bend{{{right * px(4), down * px(15)},
                                       {right * px(5), down * px(5)},
                                       {right * px(15), down * px(4)}}};
      brush.path(bend, px(5), kCross);
    }
  }
}

void draw_zzz(const Brush& brush, const FaceState& face) {
  for (int letter = 0; letter < 3; ++letter) {
    const int way = progress(face, 3000, letter * 85);
    // Fades in and out on its way up.
    const int visible =
        clamped(way < 128 ? way * 2 : (256 - way) * 2, 0, 256) * face.prop_size / 256;
    const int size = px(6) + px(10) * way / 256;
    const int x = px(88) + px(30) * way / 256 + sine(way) * px(4) / 256;
    const int y = px(-50) - px(46) * way / 256;
    draw_z(brush, x, y, size, mix(kHead, kText, static_cast<unsigned>(visible / 8)));
  }
}

}  // namespace

void draw_heart(const Brush& brush, int x, int y, int scale) {
  constexpr int kCorners = 32;
  const Brush heart = brush.at(x, y, scale);
  std::array<Point, kCorners> corners;
  for (int corner = 0; corner < kCorners; ++corner) {
    // The well-known curve: 16 sin^3 t, 13 cos t - 5 cos 2t - 2 cos 3t - cos 4t.
    const int angle = corner * 256 / kCorners;
    const int s = sine(angle);
    const int across = 16 * s / 16 * s / 256 * s / 256 * 16;
    const int up =
        13 * cosine(angle) - 5 * cosine(2 * angle) - 2 * cosine(3 * angle) - cosine(4 * angle);
    corners[static_cast<std::size_t>(corner)] = {across * px(5) / 2 / 256, -up * px(5) / 2 / 256};
  }
  heart.polygon(corners, kHeart);
  heart.ellipse(-px(18), -px(14), px(7), px(5), mix(kHeart, kEyeWhite, 20));
}

void draw_prop(const Brush& brush, const FaceState& face) {
  const int size = face.prop_size;
  if (size == 0) return;
  switch (face.prop) {
    case Prop::kNone:
    case Prop::kHearts:  // the eyes themselves
      break;
    case Prop::kTears:
      draw_tears(brush, face);
      break;
    case Prop::kSweat: {
      const int slide = px(8) * progress(face, 1600) / 256;
      draw_drop(brush, px(112), px(-46) + slide, px(9) * size / 256, kTear);
      break;
    }
    case Prop::kZzz:
      draw_zzz(brush, face);
      break;
    case Prop::kShades:
      draw_shades(brush, face);
      break;
    case Prop::kTongue:
      draw_tongue(brush, px(6), kMouthY + px(10), px(20) * size / 256, px(12));
      break;
    case Prop::kLick: {
      const int wag = sine(progress(face, 900)) * px(3) / 256;
      draw_tongue(brush, px(28), kMouthY - px(1), px(10) * size / 256 + wag, px(9) * size / 256);
      break;
    }
    case Prop::kKiss: {
      const int way = progress(face, 1800);
      const int fly = clamped(way * 2, 0, 256);
      draw_heart(brush, px(44) + px(40) * fly / 256, kMouthY - px(50) * fly / 256,
                 (40 + 70 * fly / 256) * size / 256);
      break;
    }
    case Prop::kQuestion:
      draw_question(brush.at(px(118), px(-76), size), kWarning);
      break;
    case Prop::kExclaim: {
      const Brush mark = brush.at(px(118), px(-76), size);
      mark.line(0, -px(24), 0, px(0), px(8), kWarning);
      mark.ellipse(0, px(12), px(5), px(5), kWarning);
      break;
    }
    case Prop::kAnger:
      draw_anger(brush.at(px(100), px(-54), (220 + sine(progress(face, 500)) / 8) * size / 256));
      break;
    case Prop::kSparkle: {
      const int twinkle = 200 + sine(progress(face, 1100)) / 5;
      draw_star(brush, px(112), px(-56), px(16) * twinkle / 256 * size / 256);
      draw_star(brush, px(130), px(-34), px(8) * (456 - twinkle) / 256 * size / 256);
      break;
    }
    case Prop::kDots:
      for (int dot = 0; dot < 3; ++dot) {
        const int hop = sine(progress(face, 1200, dot * 40));
        const int radius = px(5 + dot) * size / 256;
        const int up = hop > 0 ? px(5) * hop / 256 : 0;
        brush.ellipse(px(92 + dot * 20), px(-72 - dot * 10) - up, radius, radius, kText);
      }
      break;
  }
}

}  // namespace lobug
