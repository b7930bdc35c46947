// The status bar, the pages for setup, pairing and update, and the texts below the face.
#pragma once

#include "lobug/device/screen_link.h"
#include "lobug/face/canvas.h"
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

constexpr std::int16_t kStatusBarHeight = 20;

void draw_status_bar(Canvas& canvas, const View& view);

}  // namespace lobug
