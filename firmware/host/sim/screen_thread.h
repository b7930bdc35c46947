// The screen's thread of the simulated device: commands in, what the face shows out.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "commands.h"
#include "event_log.h"
#include "file_store.h"
#include "host_clock.h"
#include "host_screen.h"
#include "lobug/audio/audio_link.h"
#include "lobug/device/device.h"
#include "lobug/senses/motion.h"
#include "lobug/setup/console.h"
#include "poor_network.h"
#include "room_microphone.h"
#include "wav_speaker.h"

namespace lobug::sim {

/// What the screen's thread reaches.
struct ScreenWorld {
  EventLog& log;
  ScreenLink& link;
  AudioLink& audio;
  RoomMicrophone& microphone;
  WavSpeaker& speaker;
  Air& air;
  Store& store;
  ClockChip& clock_chip;
  HostScreen* screen;                               ///< nullptr: it has none to look at
  const std::atomic<std::int64_t>& audio_pause_us;  ///< longest between two rounds of the sound
  std::function<void()> quit;
};

/// Events: `view` with the fields that have changed, `did` with each `command`, `stats`,
/// `console`, `error`. Everything by the screen's thread.
class ScreenThread {
 public:
  ScreenThread(const ScreenWorld& world, CommandQueue& commands);
  /// A round, every few milliseconds.
  void step(Millis now);
  /// The moment of the last tap, for timings by other threads; 0: none yet.
  Millis last_tap() const { return last_tap_.load(); }

 private:
  void take(const Command& command, Millis now);
  void say(const Command& command);
  void complain(std::string_view message);
  void push(Input::Kind kind, std::int32_t value = 0, std::string_view text = {});
  void console(const std::string& line);
  void stats();
  void feel(Millis now);
  void tell(const View& view);

  ScreenWorld world_;
  CommandQueue& commands_;
  Console console_;
  MotionSense sense_;
  MotionSample lying_;  ///< what the sensor has while nothing special happens
  Deadline next_reading_;
  Deadline shaken_until_;
  bool knocked_ = false;
  std::uint32_t readings_ = 0;
  BatteryReading battery_;
  View shown_;
  bool told_ = false;
  std::atomic<Millis> last_tap_{0};
};

}  // namespace lobug::sim
