// The line at the top: microphone, Wi-Fi, server, battery. On every screen.
#pragma once

#include "lobug/device/screen_link.h"
#include "lobug/face/canvas.h"

namespace lobug {

constexpr std::int16_t kStatusBarHeight = 20;

void draw_status_bar(Canvas& canvas, const View& view);

}  // namespace lobug
