// The screen on which the owner calibrates the head: arrows, until it looks straight ahead.
#pragma once

#include <cstdint>

#include "lobug/base/exchange.h"
#include "lobug/device/screen_link.h"
#include "lobug/face/canvas.h"

namespace lobug {

/// What a tap there tells the device; kCalibrate: the page is closed. False: nothing.
bool head_page_input(std::int16_t x, std::int16_t y, Input& into);

void draw_head_page(Canvas& canvas, const View& view);

}  // namespace lobug
