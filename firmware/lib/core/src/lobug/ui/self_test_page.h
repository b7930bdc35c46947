// The screen of the self-test: what is fine, and what is not.
#pragma once

#include "lobug/face/canvas.h"
#include "lobug/language/phrases.h"
#include "lobug/selftest/measurements.h"

namespace lobug {

void draw_self_test_page(Canvas& canvas, const SelfTestState& test, const Phrases& phrases);

}  // namespace lobug
