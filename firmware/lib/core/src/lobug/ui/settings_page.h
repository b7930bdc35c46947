// The screen on which the owner sets the device with a finger.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/base/exchange.h"
#include "lobug/device/screen_link.h"
#include "lobug/face/canvas.h"
#include "lobug/ui/gesture.h"

namespace lobug {

class SettingsPage {
 public:
  static constexpr Millis kConfirmMs = 4000;  ///< within it a second tap confirms
  static constexpr Millis kSettleMs = 1500;   ///< a slider shows the finger's value so long

  explicit SettingsPage(Queue<Input, 16>& inputs) : inputs_(inputs) {}

  void open();
  /// Which page is to be shown then.
  enum class Next : std::uint8_t { kSettings, kFace, kCalibrate };
  Next touch(const Gesture& gesture, const View& view, Millis now);
  void draw(Canvas& canvas, const View& view, Millis now);

 private:
  enum class Row : std::uint8_t { kNone, kVolume, kBrightness };
  enum class Question : std::uint8_t { kNone, kForget, kReset };

  void slide(const Gesture& gesture, Millis now);
  Next tap(const Gesture& gesture, const View& view, Millis now);
  bool confirmed(Question question, Millis now);
  void put(Input::Kind kind, std::int32_t value);
  int shown(Row row, std::uint8_t stored, Millis now) const;

  Queue<Input, 16>& inputs_;
  Row sliding_ = Row::kNone;
  std::uint8_t slid_to_ = 0;
  Row slid_ = Row::kNone;
  Deadline settle_;
  Question asked_ = Question::kNone;
  Deadline confirm_until_;
};

}  // namespace lobug
