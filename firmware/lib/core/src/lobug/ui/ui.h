// The screen: face, captions, status bar, settings and setup pages; fingers in, inputs out.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/base/queue.h"
#include "lobug/base/random.h"
#include "lobug/device/input.h"
#include "lobug/device/view.h"
#include "lobug/face/canvas.h"
#include "lobug/senses/motion.h"

namespace lobug {

constexpr std::int16_t kScreenWidth = 320;
constexpr std::int16_t kScreenHeight = 240;

/// One finger. y may be up to 279: the Core2's three buttons lie below the picture (240 and more);
/// on the CoreS3 the picture's own lower edge stands for them (`buttons_below` false).
struct Touch {
  bool down = false;
  std::int16_t x = 0, y = 0;
};

class Ui {
 public:
  Ui(Random& random, Queue<Input, 16>& inputs, bool buttons_below);

  /// Once a round, 20 to 60 times a second.
  void touch(const Touch& touch, Millis now);
  /// Draws what is to be seen now. `level`: loudness of speaker or microphone, 0 to 255.
  void draw(Canvas& canvas, const View& view, const Motion& motion, std::uint8_t level, Millis now);

 private:
  Random& random_;
  Queue<Input, 16>& inputs_;
  bool buttons_below_;
};

/// Finds which rows differ between two pictures, so that only they go to the display.
struct Rows {
  std::int16_t first = 0;
  std::int16_t count = 0;
};
Rows changed_rows(Span<const Colour> before, Span<const Colour> after, std::int16_t width,
                  std::int16_t height);

}  // namespace lobug
