// What stands above, beside or instead of the face: status bar, setup, pairing, update, trouble.
#pragma once

#include "lobug/device/screen_link.h"
#include "lobug/face/canvas.h"

namespace lobug {

void draw_setup_page(Canvas& canvas, const View& view);
void draw_pairing_page(Canvas& canvas, const View& view);
void draw_update_page(Canvas& canvas, const View& view);
/// The words below the face when something is missing.
void draw_trouble(Canvas& canvas, const View& view);
/// The words below the face while it is on its way to the server.
void draw_progress(Canvas& canvas, const View& view);
/// Faint signs in the lower corners that stand for buttons: settings and volume.
void draw_corners(Canvas& canvas);
/// A horizontal track that is filled to `percent`, with a knob.
void draw_slider(Canvas& canvas, const Rect& area, int percent);

constexpr std::int16_t kStatusBarHeight = 20;

void draw_status_bar(Canvas& canvas, const View& view);

}  // namespace lobug
