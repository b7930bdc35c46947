// Which rows of the picture changed, so that only they go to the display.
#pragma once

#include <cstdint>

#include "lobug/base/span.h"
#include "lobug/face/canvas.h"

namespace lobug {

struct Rows {
  std::int16_t first = 0;
  std::int16_t count = 0;
};

/// From the first row that differs to the last; count 0 when none does. Both pictures have
/// `width` times `height` pixels.
Rows changed_rows(Span<const Colour> before, Span<const Colour> after, std::int16_t width,
                  std::int16_t height);

}  // namespace lobug
