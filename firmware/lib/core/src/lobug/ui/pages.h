// The status bar, the pages for setup, pairing and update, and the texts below the face.
#pragma once

#include "lobug/device/screen_link.h"
#include "lobug/face/canvas.h"
#include "lobug/face/palette.h"
#include "lobug/ui/qr_code.h"

namespace lobug {

/// `join`: what lets a phone join the device's network; empty while there is no network.
void draw_setup_page(Canvas& canvas, const View& view, const QrCode& join);
void draw_pairing_page(Canvas& canvas, const View& view);
void draw_update_page(Canvas& canvas, const View& view);
/// The text below the face when the device is offline.
void draw_trouble(Canvas& canvas, const View& view);
/// The text below the face while the device connects.
void draw_progress(Canvas& canvas, const View& view);
/// Faint signs in the lower corners that stand for buttons: settings and volume.
void draw_corners(Canvas& canvas);
/// A horizontal track that is filled to `percent`, with a knob.
void draw_slider(Canvas& canvas, const Rect& area, int percent);

constexpr bool holds(const Rect& area, std::int16_t x, std::int16_t y) {
  return x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
}
/// A field to be tapped, with a small text in it.
void draw_button(Canvas& canvas, const Rect& area, std::string_view text, Colour colour,
                 Colour panel = kPanel);

constexpr std::int16_t kStatusBarHeight = 20;
constexpr int kCentre = 160;  ///< of the screen's width

void draw_status_bar(Canvas& canvas, const View& view);

}  // namespace lobug
