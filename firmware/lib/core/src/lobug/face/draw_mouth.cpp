// The mouth.
#include "lobug/face/drawing.h"
#include "lobug/face/palette.h"

namespace lobug {
namespace {

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

}  // namespace

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

}  // namespace lobug
