#include "lobug/ui/pages.h"

#include <array>
#include <cinttypes>
#include <cstdio>

#include "lobug/face/fixed.h"
#include "lobug/face/palette.h"
#include "lobug/language/wording.h"
#include "lobug/sentences.h"
#include "lobug/ui/captions.h"

namespace lobug {
namespace {

constexpr int kWidth = 300;
constexpr int kWordsY = 188;  ///< below the raised face

int small(Canvas& canvas, int y, std::string_view text, Colour colour = kFaint) {
  return draw_paragraph(canvas, kCentre, y, kWidth, text, FontSize::kSmall, colour);
}

int large(Canvas& canvas, int y, std::string_view text, Colour colour = kText) {
  return draw_paragraph(canvas, kCentre, y, kWidth, text, FontSize::kLarge, colour);
}

constexpr int kMiddle = kStatusBarHeight / 2;

// A code of version 3, which is what a setup network takes, is 148 pixels wide with its quiet zone.
constexpr int kCodeWidth = 148;
constexpr int kBesideX = 238, kBesideWidth = 152;

/// Dark on light with its quiet zone, as large as it may be; returns the y below it.
int draw_code(Canvas& canvas, int x, int y, const QrCode& code) {
  const int modules = code.size() + 2 * QrCode::kQuietZone;
  const int module = kCodeWidth / modules;
  const auto box = [&](int left, int top, int width, int height, Colour colour) {
    canvas.fill_rect(
        {static_cast<std::int16_t>(x + left * module), static_cast<std::int16_t>(y + top * module),
         static_cast<std::int16_t>(width * module), static_cast<std::int16_t>(height * module)},
        colour);
  };
  box(0, 0, modules, modules, kPaper);
  for (int row = 0; row < code.size(); ++row) {
    for (int from = 0, to = 0; from < code.size(); from = to) {
      to = from + 1;
      if (!code.is_dark(from, row)) continue;
      while (to < code.size() && code.is_dark(to, row)) ++to;
      box(QrCode::kQuietZone + from, QrCode::kQuietZone + row, to - from, 1, kNight);
    }
  }
  return y + modules * module;
}

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

/// A dot for the server: filled when connected.
void draw_server(Canvas& canvas, std::int16_t x, const View& view) {
  canvas.fill_ellipse(px(x), px(kMiddle), px(5), px(5), view.server ? kAccent : kPanelEdge);
  if (!view.server) canvas.fill_ellipse(px(x), px(kMiddle), px(3), px(3), kNight);
}

/// Red, with text: an open microphone must not be missed.
void draw_microphone(Canvas& canvas, const View& view) {
  canvas.fill_round_rect({124, 1, 72, 18}, 9, kAlarm);
  canvas.fill_ellipse(px(138), px(8), px(3), px(5), kText);
  canvas.line(px(138), px(13), px(138), px(16), px(2), kText);
  canvas.text(146, 3, phrases_of(view.language)[Phrase::kMicrophoneOpen], FontSize::kSmall, kText);
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

void draw_setup_page(Canvas& canvas, const View& view, const QrCode& join) {
  const Phrases& phrases = phrases_of(view.language);
  int y = kStatusBarHeight + 8;
  if (view.trouble == Trouble::kWrongPassword) {
    y = small(canvas, y + 4, phrases[sentence_of(view.trouble)], kWarning) + 3;
  } else {
    y = large(canvas, y, phrases[Phrase::kSetupTitle], kAccent);
  }
  if (join.size() == 0) {
    y = small(canvas, y + 14, phrases[Phrase::kSetupJoin]);
    y = large(canvas, y + 2, view.setup_network);
    y = small(canvas, y + 10, phrases[Phrase::kSetupOpen]);
    y = large(canvas, y + 2, view.setup_address);
  } else {
    // To the right of the code, for those whose phone does not scan it.
    const int below = draw_code(canvas, 8, y + 6, join);
    const auto beside = [&canvas](int top, std::string_view text, FontSize size, Colour colour) {
      return draw_paragraph(canvas, kBesideX, top, kBesideWidth, text, size, colour);
    };
    int at = beside(y + 6, phrases[Phrase::kSetupScan], FontSize::kSmall, kFaint);
    at = beside(at + 2, view.setup_network, FontSize::kLarge, kText);
    const Text<40> key = filled<40>(phrases[Phrase::kSetupKeyFormat], {view.setup_key});
    at = beside(at, key, FontSize::kLarge, kText);
    at = beside(at + 8, phrases[Phrase::kSetupOpen], FontSize::kSmall, kFaint);
    beside(at + 2, view.setup_address, FontSize::kSmall, kText);
    y = below;
  }
  small(canvas, y + 6, phrases[Phrase::kSetupChoose]);
}

void draw_pairing_page(Canvas& canvas, const View& view) {
  const Phrases& phrases = phrases_of(view.language);
  int y = large(canvas, kStatusBarHeight + 2, phrases[Phrase::kPairingTitle], kAccent);
  const int height = Canvas::line_height(FontSize::kCode);
  canvas.fill_round_rect(
      {30, static_cast<std::int16_t>(y + 4), 260, static_cast<std::int16_t>(height + 8)}, 12,
      kPanel);
  draw_centred(canvas, kCentre, y + 8, view.code, FontSize::kCode, kText);
  y = small(canvas, y + height + 16, phrases[Phrase::kPairingWhere]);
  std::array<char, 64> command{};
  std::snprintf(command.data(), command.size(), sentences::kPairingCommandFormat,
                view.code.c_str());
  y = small(canvas, y + 2, command.data(), kText);
  if (!view.server_name.empty()) small(canvas, y + 2, view.server_name);
}

void draw_update_page(Canvas& canvas, const View& view) {
  const Phrases& phrases = phrases_of(view.language);
  int y = large(canvas, 44, phrases[Phrase::kUpdateTitle], kAccent);
  y = small(canvas, y + 6, phrases[Phrase::kUpdateWait]);
  const int percent = clamped(view.update_percent, 0, 100);
  canvas.fill_round_rect({40, static_cast<std::int16_t>(y + 16), 240, 18}, 9, kPanel);
  const auto width = static_cast<std::int16_t>(240 * percent / 100);
  if (width >= 18) {
    canvas.fill_round_rect({40, static_cast<std::int16_t>(y + 16), width, 18}, 9, kAccent);
  }
  const Text<16> text = filled<16>(phrases[Phrase::kUpdatePercentFormat],
                                   {Number(static_cast<std::uint32_t>(percent))});
  draw_centred(canvas, kCentre, y + 42, text, FontSize::kLarge, kText);
}

void draw_trouble(Canvas& canvas, const View& view) {
  const Phrases& phrases = phrases_of(view.language);
  const int y = small(canvas, kWordsY, phrases[sentence_of(view.trouble)], kWarning);
  if (view.retry_s > 0) {
    small(canvas, y + 4, filled<80>(phrases[Phrase::kRetryFormat], {Number(view.retry_s)}));
  }
}

void draw_progress(Canvas& canvas, const View& view) {
  Phrase text = Phrase::kNone;
  switch (view.state) {
    case DeviceState::kStarting:
    case DeviceState::kJoining:
      text = Phrase::kJoiningWifi;
      break;
    case DeviceState::kFinding:
      text = Phrase::kFindingServer;
      break;
    case DeviceState::kConnecting:
      text = Phrase::kConnecting;
      break;
    default:
      break;
  }
  small(canvas, kWordsY, phrases_of(view.language)[text]);
}

void draw_corners(Canvas& canvas) {
  // Three sliders, and a loudspeaker.
  for (int row = 0; row < 3; ++row) {
    const int y = px(219 + 6 * row);
    const int knob = px(row == 1 ? 12 : 18);
    canvas.line(px(8), y, px(23), y, px(2), kPanelEdge);
    canvas.fill_ellipse(knob, y, 40, 40, kFaint);
  }
  const Point speaker[] = {{px(297), px(222)}, {px(301), px(222)}, {px(306), px(217)},
                           {px(306), px(233)}, {px(301), px(228)}, {px(297), px(228)}};
  canvas.fill_polygon(speaker, kFaint);
  const std::array<Point, 5> wave{{{px(309), px(219)},
                                   {px(311), px(222)},
                                   {px(312), px(225)},
                                   {px(311), px(228)},
                                   {px(309), px(231)}}};
  for (std::size_t part = 1; part < wave.size(); ++part) {
    canvas.line(wave[part - 1].x, wave[part - 1].y, wave[part].x, wave[part].y, px(2), kPanelEdge);
  }
}

void draw_slider(Canvas& canvas, const Rect& area, int percent) {
  const int filled = area.width * clamped(percent, 0, 100) / 100;
  const auto middle = static_cast<std::int16_t>(area.y + area.height / 2);
  const auto top = static_cast<std::int16_t>(middle - 4);
  canvas.fill_round_rect({area.x, top, area.width, 8}, 4, kPanelEdge);
  if (filled >= 8) {
    canvas.fill_round_rect({area.x, top, static_cast<std::int16_t>(filled), 8}, 4, kAccent);
  }
  canvas.fill_ellipse(px(area.x + filled), px(middle), px(10), px(10), kText);
}

void draw_button(Canvas& canvas, const Rect& area, std::string_view text, Colour colour,
                 Colour panel) {
  canvas.fill_round_rect(area, 8, panel);
  const int height = Canvas::line_height(FontSize::kSmall);
  draw_centred(canvas, area.x + area.width / 2, area.y + (area.height - height) / 2, text,
               FontSize::kSmall, colour);
}

void draw_status_bar(Canvas& canvas, const View& view) {
  canvas.fill_rect({0, 0, canvas.width(), kStatusBarHeight}, kNight);
  draw_wifi(canvas, 4, view);
  draw_server(canvas, 36, view);
  if (view.microphone) draw_microphone(canvas, view);
  draw_battery(canvas, static_cast<std::int16_t>(canvas.width() - 4), view);
}

}  // namespace lobug
