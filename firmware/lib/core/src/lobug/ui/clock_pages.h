// What the screen shows of time: the clock when nobody talks, a timer that runs, an alarm.
#pragma once

#include "lobug/base/clock.h"
#include "lobug/device/screen_link.h"
#include "lobug/face/canvas.h"

namespace lobug {

/// Large digits and the date. `view.minute_of_day` is known.
void draw_clock(Canvas& canvas, const View& view);
/// A ring that empties, with what is left of the timer that ends first. `view.timers` is not 0.
void draw_countdown(Canvas& canvas, const View& view);
/// The same beside the face, small.
void draw_countdown_badge(Canvas& canvas, const View& view);
/// A bell that swings, and which timer it is.
void draw_alarm(Canvas& canvas, const View& view, Millis now);

}  // namespace lobug
