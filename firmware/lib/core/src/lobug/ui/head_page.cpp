#include "lobug/ui/head_page.h"

#include "lobug/face/fixed.h"
#include "lobug/face/palette.h"
#include "lobug/language/wording.h"
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
  std::int32_t degrees;
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
  constexpr int kLong = 12;
  constexpr int kWide = 11;
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
Phrase help(const BodyView& body) {
  if (body.silent) return Phrase::kHeadSilent;
  return body.off ? Phrase::kHeadOff : Phrase::kHeadHelp;
}

/// Tenths of a degree as whole degrees with their sign.
Text<12> signed_degrees(std::int16_t tenths) {
  Text<12> text(std::string_view(tenths < 0 ? "-" : "+"));
  text.append(Number(static_cast<std::uint32_t>((tenths < 0 ? -tenths : tenths) / 10)));
  return text;
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
  const Phrases& phrases = phrases_of(view.language);
  draw_centred(canvas, kCentreX, kStatusBarHeight + 2, phrases[Phrase::kHeadTitle],
               FontSize::kLarge, kAccent);
  draw_centred(canvas, kCentreX, kStatusBarHeight + 24, phrases[help(view.body)], FontSize::kSmall,
               kFaint);
  for (const Arrow& arrow : kArrows) draw_arrow(canvas, arrow, kText);
  const Attitude& offset = view.body.calibration.offset;
  const Text<24> turn = filled<24>(phrases[Phrase::kHeadTurnFormat], {signed_degrees(offset.yaw)});
  const Text<24> tilt =
      filled<24>(phrases[Phrase::kHeadTiltFormat], {signed_degrees(offset.pitch)});
  const int height = Canvas::line_height(FontSize::kSmall);
  draw_centred(canvas, kCentreX, kCentreY - height, turn, FontSize::kSmall, kText);
  draw_centred(canvas, kCentreX, kCentreY + 2, tilt, FontSize::kSmall, kText);
  draw_button(canvas, kDoneButton, phrases[Phrase::kClose], kNight, kAccent);
}

}  // namespace lobug
