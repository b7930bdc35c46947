#include "lobug/ui/clock_pages.h"

#include <array>
#include <cstddef>
#include <cstdio>

#include "lobug/base/utf8.h"
#include "lobug/face/fixed.h"
#include "lobug/face/palette.h"
#include "lobug/language/wording.h"
#include "lobug/ui/captions.h"
#include "lobug/ui/pages.h"

namespace lobug {
namespace {

// Digits of the clock, drawn as seven strokes with round ends.
constexpr int kDigitWidth = 46;
constexpr int kDigitHeight = 84;
constexpr int kDigitGap = 16;
constexpr int kColonWidth = 14;
constexpr int kStroke = 9;
constexpr int kClockY = 38;
constexpr int kDateY = kClockY + kDigitHeight + 14;

/// Which strokes a digit has: top, upper right, lower right, bottom, lower left, upper left,
/// middle, from the lowest bit on.
constexpr std::array<std::uint8_t, 10> kStrokes = {0x3F, 0x06, 0x5B, 0x4F, 0x66,
                                                   0x6D, 0x7D, 0x07, 0x7F, 0x6F};

struct Stroke {
  std::int8_t x0, y0, x1, y1;  // 0, 1 or 2: left or top, middle, right or bottom
};
constexpr std::array<Stroke, 7> kPlaces = {{{0, 0, 2, 0},
                                            {2, 0, 2, 1},
                                            {2, 1, 2, 2},
                                            {0, 2, 2, 2},
                                            {0, 1, 0, 2},
                                            {0, 0, 0, 1},
                                            {0, 1, 2, 1}}};

void draw_digit(Canvas& canvas, int x, int y, int digit, Colour colour) {
  const auto at_x = [&](int place) { return px(x) + px(kDigitWidth) * place / 2; };
  const auto at_y = [&](int place) { return px(y) + px(kDigitHeight) * place / 2; };
  for (std::size_t stroke = 0; stroke < kPlaces.size(); ++stroke) {
    if ((kStrokes[static_cast<std::size_t>(digit)] >> stroke & 1U) == 0) continue;
    const Stroke& place = kPlaces[stroke];
    canvas.line(at_x(place.x0), at_y(place.y0), at_x(place.x1), at_y(place.y1), px(kStroke),
                colour);
  }
}

/// A part (0 to 256) of a ring, clockwise from the top.
void draw_ring(Canvas& canvas, int x, int y, int radius, int thickness, int part, Colour colour) {
  constexpr int kStep = 4;
  const auto point = [&](int angle) {
    return Point{px(x) + px(radius) * sine(angle) / 256, px(y) - px(radius) * cosine(angle) / 256};
  };
  for (int angle = 0; angle < part; angle += kStep) {
    const Point from = point(angle);
    const Point to = point(angle + kStep < part ? angle + kStep : part);
    canvas.line(from.x, from.y, to.x, to.y, px(thickness), colour);
  }
}

/// Of a timer's whole time, 0 to 256.
int part_left(const View& view) {
  if (view.timer_total_s == 0) return 0;
  const std::uint64_t part = std::uint64_t{view.timer_left_s} * 256 / view.timer_total_s;
  return part < 256 ? static_cast<int>(part) : 256;
}

using TimeText = std::array<char, 16>;

/// "4:05" or "1:04:05".
TimeText time_left(std::uint32_t seconds) {
  TimeText text{};
  const auto minutes = static_cast<unsigned>(seconds / 60 % 60);
  const auto rest = static_cast<unsigned>(seconds % 60);
  if (seconds >= 3600) {
    std::snprintf(text.data(), text.size(), "%u:%02u:%02u", static_cast<unsigned>(seconds / 3600),
                  minutes, rest);
  } else {
    std::snprintf(text.data(), text.size(), "%u:%02u", minutes, rest);
  }
  return text;
}

/// "4:05" in the large digits of a pairing code, which have no colon of their own.
void draw_minutes(Canvas& canvas, int y, std::uint32_t seconds) {
  constexpr int kColon = 14;
  std::array<char, 8> minutes{};
  std::array<char, 8> rest{};
  std::snprintf(minutes.data(), minutes.size(), "%u", static_cast<unsigned>(seconds / 60));
  std::snprintf(rest.data(), rest.size(), "%02u", static_cast<unsigned>(seconds % 60));
  const int left = Canvas::text_width(minutes.data(), FontSize::kCode);
  const int right = Canvas::text_width(rest.data(), FontSize::kCode);
  int x = kCentre - (left + kColon + right) / 2;
  x = canvas.text(x, y, minutes.data(), FontSize::kCode, kText);
  for (const int dot : {20, 36}) {
    canvas.fill_ellipse(px(x + kColon / 2), px(y + dot), px(3), px(3), kText);
  }
  canvas.text(x + kColon, y, rest.data(), FontSize::kCode, kText);
}

/// The last seconds are warmer.
Colour ring_colour(const View& view) {
  constexpr std::uint32_t kLastS = 10;
  return view.timer_left_s <= kLastS ? kWarning : kAccent;
}

void draw_bell(Canvas& canvas, int x, int y, int swing) {
  // It hangs from the top and swings to the side by `swing` pixels at its rim.
  const auto shifted = [&](int height) { return px(x) + px(swing) * height / 64; };
  canvas.fill_ellipse(px(x), px(y), px(6), px(6), kWarning);
  const std::array<Point, 10> body = {{{shifted(8) - px(10), px(y + 6)},
                                       {shifted(8) + px(10), px(y + 6)},
                                       {shifted(20) + px(21), px(y + 18)},
                                       {shifted(36) + px(25), px(y + 36)},
                                       {shifted(52) + px(29), px(y + 52)},
                                       {shifted(64) + px(38), px(y + 62)},
                                       {shifted(64) - px(38), px(y + 62)},
                                       {shifted(52) - px(29), px(y + 52)},
                                       {shifted(36) - px(25), px(y + 36)},
                                       {shifted(20) - px(21), px(y + 18)}}};
  canvas.fill_polygon(Span<const Point>(body.data(), body.size()), kWarning);
  canvas.line(shifted(64) - px(36), px(y + 63), shifted(64) + px(36), px(y + 63), px(7), kWarning);
  canvas.fill_ellipse(shifted(90), px(y + 74), px(8), px(8), kAlarm);
}

}  // namespace

void draw_clock(Canvas& canvas, const View& view) {
  const int hour = view.minute_of_day / 60;
  const int minute = view.minute_of_day % 60;
  constexpr int kWidth = 4 * kDigitWidth + kColonWidth + 4 * kDigitGap;
  int x = kCentre - kWidth / 2;
  const auto digit = [&](int value) {
    draw_digit(canvas, x, kClockY, value, kText);
    x += kDigitWidth + kDigitGap;
  };
  digit(hour / 10);
  digit(hour % 10);
  for (const int dot : {kDigitHeight / 3, kDigitHeight * 2 / 3}) {
    canvas.fill_ellipse(px(x + kColonWidth / 2), px(kClockY + dot), px(5), px(5), kAccent);
  }
  x += kColonWidth + kDigitGap;
  digit(minute / 10);
  digit(minute % 10);
  draw_centred(canvas, kCentre, kDateY, day_text(phrases_of(view.language), view.date),
               FontSize::kLarge, kFaint);
}

void draw_countdown(Canvas& canvas, const View& view) {
  constexpr int kY = 116;
  constexpr int kRadius = 80;
  constexpr int kThickness = 11;
  draw_ring(canvas, kCentre, kY, kRadius, kThickness, 256, kPanel);
  draw_ring(canvas, kCentre, kY, kRadius, kThickness, part_left(view), ring_colour(view));
  if (view.timer_left_s < 3600) {
    draw_minutes(canvas, kY - 26, view.timer_left_s);
  } else {
    draw_centred(canvas, kCentre, kY - 12, time_left(view.timer_left_s).data(), FontSize::kLarge,
                 kText);
  }
  if (view.timers > 1) {
    const Text<40> more = filled<40>(phrases_of(view.language)[Phrase::kMoreTimersFormat],
                                     {Number(static_cast<std::uint32_t>(view.timers - 1))});
    draw_centred(canvas, kCentre, kY + 28, more, FontSize::kSmall, kFaint);
  }
  canvas.clip({8, 206, 304, 30});
  draw_centred(canvas, kCentre, 208, view.timer_label, FontSize::kLarge, kFaint);
  canvas.unclip();
}

void draw_countdown_badge(Canvas& canvas, const View& view) {
  constexpr int kX = 296;
  constexpr int kY = 42;
  constexpr int kRadius = 12;
  constexpr int kThickness = 5;
  draw_ring(canvas, kX, kY, kRadius, kThickness, 256, kPanelEdge);
  draw_ring(canvas, kX, kY, kRadius, kThickness, part_left(view), ring_colour(view));
  const TimeText text = time_left(view.timer_left_s);
  const int x = kX - kRadius - 10 - Canvas::text_width(text.data(), FontSize::kSmall);
  canvas.text(x, kY - 8, text.data(), FontSize::kSmall, kText);
}

void draw_alarm(Canvas& canvas, const View& view, Millis now) {
  constexpr Millis kPulseMs = 1024;
  constexpr int kY = 104;
  const auto phase = static_cast<int>(now % kPulseMs / 4);  // 0 to 255
  // Two waves run outwards.
  for (const int offset : {0, 128}) {
    const int progress = (phase + offset) & 255;
    const int radius = 52 + progress * 36 / 256;
    draw_ring(canvas, kCentre, kY, radius, 6, 256,
              mix(kNight, kAlarm, static_cast<unsigned>(32 - progress * 32 / 256)));
  }
  draw_bell(canvas, kCentre, kY - 38, sine(phase * 2) * 9 / 256);
  // Two lines have room, or one and the hint.
  constexpr int kWordsY = 194;
  constexpr int kHintY = 221;
  const int y = draw_paragraph(canvas, kCentre, kWordsY, 304, utf8_prefix(view.notice, 60),
                               FontSize::kLarge, kText);
  if (y <= kHintY) {
    draw_centred(canvas, kCentre, kHintY, phrases_of(view.language)[Phrase::kTapToStop],
                 FontSize::kSmall, kFaint);
  }
}

}  // namespace lobug
