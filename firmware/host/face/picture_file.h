// Pictures as PPM files.
#pragma once

#include <string>

#include "lobug/base/span.h"
#include "lobug/face/canvas.h"

namespace lobug {

/// A picture of the screen's size.
bool write_picture(Span<const Colour> pixels, const std::string& path);

}  // namespace lobug
