// What loop() does: fingers, motion sensor, battery, drawing, Wi-Fi and the serial line.
#pragma once

#include "chip.h"
#include "lobug/audio/audio_link.h"
#include "lobug/base/clock.h"
#include "lobug/base/random.h"
#include "lobug/device/device.h"
#include "lobug/face/canvas.h"
#include "lobug/face/damage.h"
#include "lobug/ports/serial.h"
#include "lobug/senses/motion.h"
#include "lobug/setup/improv.h"
#include "lobug/ui/ui.h"
#include "wifi_keeper.h"

namespace lobug {

/// What is drawn on, `kScreenWidth` x `kScreenHeight`, and what of it the display has not got yet.
struct Pictures {
  Span<Colour> drawn;
  Damage* damage;
};

/// Arduino's `Serial`.
class ChipSerial final : public SerialOutput {
 public:
  void write(std::string_view bytes) override;
};

class Screen {
 public:
  Screen(const Pictures& pictures, AudioLink& audio, ScreenLink& link, Store& store,
         Random& random);
  /// `board` as in System.
  void begin(std::string_view board, std::string_view device_name);
  void step(Millis now);

 private:
  void read_finger(Millis now);
  void read_motion(Millis now);
  void read_battery(Millis now);
  void read_serial(Millis now);
  void draw(Millis now);
  void set_backlight();
  /// A part of what is drawn, to the display.
  void show(const Rect& part) const;

  Pictures pictures_;
  AudioLink& audio_;
  ScreenLink& link_;
  Canvas canvas_;
  Ui ui_;
  WifiKeeper wifi_;
  ChipSerial serial_;
  SerialLine line_;
  MotionSense sense_;
  View view_;
  Deadline motion_due_;
  Deadline battery_due_;
  std::int32_t battery_ = -1;  ///< the last reading that the device was told
  int backlight_ = -1;         ///< percent, as the display has it
  bool touched_ = false;
};

}  // namespace lobug
