#include "lobug/ui/head_page.h"

#include <array>
#include <cstdio>

#include "lobug/face/fixed.h"
#include "lobug/face/palette.h"
#include "lobug/sentences.h"
#include "lobug/ui/captions.h"
#include "lobug/ui/pages.h"

namespace lobug {
namespace {

constexpr std::int16_t kCentreX = 160;
constexpr std::int16_t kCentreY = 128;
constexpr std::int16_t kAway = 46;  // an arrow's middle from that of the page
constexpr std::int16_t kSide = 48;  // of an arrow's field
constexpr Rect kDoneButton{120, 204, 80, 30};

struct Arrow {
  std::int8_t x, y;  // where it points, as the head turns: seen from before, its right is our left
  Input::Kind kind;
  std::int8_t degrees;
};
constexpr Arrow kArrows[] = {
    {-1, 0, Input::Kind::kYawOffset, 1},
    {1, 0, Input::Kind::kYawOffset, -1},
    {0, -1, Input::Kind::kPitchOffset, 1},
    {0, 1, Input::Kind::kPitchOffset, -1},
};

constexpr Rect field_of(const Arrow& arrow) {
  return {static_cast<std::int16_t>(kCentreX + arrow.x * kAway * 2 - kSide / 2),
          static_cast<std::int16_t>(kCentreY + arrow.y * kAway - kSide / 2), kSide, kSide};
}

void draw_arrow(Canvas& canvas, const Arrow& arrow, Colour colour) {
  constexpr int kLong = 12, kWide = 11;
  const Rect field = field_of(arrow);
  canvas.fill_round_rect(field, 10, kPanel);
  const int x = field.x + kSide / 2;
  const int y = field.y + kSide / 2;
  canvas.fill_triangle(px(x + arrow.x * kLong), px(y + arrow.y * kLong),
                       px(x - arrow.x * kLong / 2 - arrow.y * kWide),
                       px(y - arrow.y * kLong / 2 - arrow.x * kWide),
                       px(x - arrow.x * kLong / 2 + arrow.y * kWide),
                       px(y - arrow.y * kLong / 2 + arrow.x * kWide), colour);
}

/// Why the head does not move, or what to do.
std::string_view help(const BodyView& body) {
  if (body.silent) return sentences::kBodySilent;
  if (body.off) return sentences::kBodyOff;
  return sentences::kHeadHelp;
}

}  // namespace

bool head_page_input(std::int16_t x, std::int16_t y, Input& into) {
  into = Input();
  if (holds(kDoneButton, x, y)) {
    into.kind = Input::Kind::kCalibrate;
    return true;
  }
  for (const Arrow& arrow : kArrows) {
    if (!holds(field_of(arrow), x, y)) continue;
    into.kind = arrow.kind;
    into.value = arrow.degrees;
    return true;
  }
  return false;
}

void draw_head_page(Canvas& canvas, const View& view) {
  draw_centred(canvas, kCentreX, kStatusBarHeight + 2, sentences::kHeadTitle, FontSize::kLarge,
               kAccent);
  draw_centred(canvas, kCentreX, kStatusBarHeight + 24, help(view.body), FontSize::kSmall, kFaint);
  for (const Arrow& arrow : kArrows) draw_arrow(canvas, arrow, kText);
  const Attitude& offset = view.body.calibration.offset;
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), sentences::kHeadYawFormat, offset.yaw / 10);
  const int height = Canvas::line_height(FontSize::kSmall);
  draw_centred(canvas, kCentreX, kCentreY - height, text.data(), FontSize::kSmall, kText);
  std::snprintf(text.data(), text.size(), sentences::kHeadPitchFormat, offset.pitch / 10);
  draw_centred(canvas, kCentreX, kCentreY + 2, text.data(), FontSize::kSmall, kText);
  draw_button(canvas, kDoneButton, sentences::kClose, kNight, kAccent);
}

}  // namespace lobug
