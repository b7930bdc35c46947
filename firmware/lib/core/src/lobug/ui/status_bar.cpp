#include "lobug/ui/status_bar.h"

#include <cstdio>

#include "lobug/face/fixed.h"
#include "lobug/face/palette.h"
#include "lobug/sentences.h"

namespace lobug {
namespace {

constexpr int kMiddle = kStatusBarHeight / 2;

/// Bars for a signal: -60 dBm and better are all four.
int bars_of(std::int8_t dbm) {
  if (dbm >= -60) return 4;
  if (dbm >= -68) return 3;
  if (dbm >= -76) return 2;
  return 1;
}

void draw_wifi(Canvas& canvas, std::int16_t x, const View& view) {
  const int bars = view.wifi ? bars_of(view.wifi_dbm) : 0;
  for (int bar = 0; bar < 4; ++bar) {
    const auto height = static_cast<std::int16_t>(4 + 3 * bar);
    canvas.fill_rect({static_cast<std::int16_t>(x + 5 * bar),
                      static_cast<std::int16_t>(kStatusBarHeight - 3 - height), 3, height},
                     bar < bars ? kText : kPanelEdge);
  }
  if (!view.wifi) canvas.line(px(x), px(4), px(x + 18), px(kStatusBarHeight - 4), px(2), kAlarm);
}

/// A dot for the server: joined, or looked for.
void draw_server(Canvas& canvas, std::int16_t x, const View& view) {
  canvas.fill_ellipse(px(x), px(kMiddle), px(5), px(5), view.server ? kAccent : kPanelEdge);
  if (!view.server) canvas.fill_ellipse(px(x), px(kMiddle), px(3), px(3), kNight);
}

/// Red, with a word: nobody is to miss that it hears.
void draw_microphone(Canvas& canvas) {
  canvas.fill_round_rect({124, 1, 72, 18}, 9, kAlarm);
  canvas.fill_ellipse(px(138), px(8), px(3), px(5), kText);
  canvas.line(px(138), px(13), px(138), px(16), px(2), kText);
  canvas.text(146, 3, sentences::kMicrophoneOpen, FontSize::kSmall, kText);
}

void draw_battery(Canvas& canvas, std::int16_t right, const View& view) {
  if (!view.battery_known) return;
  const auto left = static_cast<std::int16_t>(right - 24);
  canvas.fill_round_rect({left, 5, 21, 11}, 2, kFaint);
  canvas.fill_rect({static_cast<std::int16_t>(right - 3), 8, 3, 5}, kFaint);
  canvas.fill_rect({static_cast<std::int16_t>(left + 2), 7, 17, 7}, kNight);
  const int percent = view.battery > 100 ? 100 : view.battery;
  const Colour colour = view.charging ? kAccent : percent <= 15 ? kAlarm : kText;
  canvas.fill_rect({static_cast<std::int16_t>(left + 2), 7,
                    static_cast<std::int16_t>((17 * percent + 50) / 100), 7},
                   colour);
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%d%%", percent);
  canvas.text(left - 4 - Canvas::text_width(text.data(), FontSize::kSmall), 3, text.data(),
              FontSize::kSmall, kFaint);
}

}  // namespace

void draw_status_bar(Canvas& canvas, const View& view) {
  canvas.fill_rect({0, 0, canvas.width(), kStatusBarHeight}, kNight);
  draw_wifi(canvas, 4, view);
  draw_server(canvas, 36, view);
  if (view.microphone) draw_microphone(canvas);
  draw_battery(canvas, static_cast<std::int16_t>(canvas.width() - 4), view);
}

}  // namespace lobug
