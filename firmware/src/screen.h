// What loop() does: fingers, motion sensor, battery, drawing, Wi-Fi and the serial line.
#pragma once

#include "chip.h"
#include "lobug/audio/audio_link.h"
#include "lobug/base/clock.h"
#include "lobug/base/random.h"
#include "lobug/device/device.h"
#include "lobug/face/canvas.h"
#include "lobug/senses/motion.h"
#include "lobug/setup/console.h"
#include "lobug/ui/ui.h"
#include "wifi_keeper.h"

namespace lobug {

/// Two pictures of `kScreenWidth` x `kScreenHeight`: one to draw on, one as it is on the display.
struct Pictures {
  Span<Colour> drawn;
  Span<Colour> shown;
};

class Screen {
 public:
  Screen(const Pictures& pictures, AudioLink& audio, ScreenLink& link, Store& store,
         Random& random);
  void begin(std::string_view device_name);
  void step(Millis now);

 private:
  void read_finger(Millis now);
  void read_motion(Millis now);
  void read_battery(Millis now);
  void read_serial();
  void draw(Millis now);
  void set_backlight();
  /// Rows of what is drawn, to the display.
  void show(int first, int count) const;

  Pictures pictures_;
  AudioLink& audio_;
  ScreenLink& link_;
  Canvas canvas_;
  Ui ui_;
  Console console_;
  WifiKeeper wifi_;
  MotionSense sense_;
  View view_;
  Deadline motion_due_;
  Deadline battery_due_;
  std::int32_t battery_ = -1;  ///< the last reading that the device was told
  int backlight_ = -1;         ///< percent, as the display has it
};

}  // namespace lobug
