// The screen's thread of the simulated device: commands in, what the face shows out.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.h"
#include "event_log.h"
#include "file_store.h"
#include "host_body.h"
#include "host_clock.h"
#include "host_screen.h"
#include "host_vitals.h"
#include "lobug/audio/audio_link.h"
#include "lobug/device/device.h"
#include "lobug/ports/serial.h"
#include "lobug/ports/wifi.h"
#include "lobug/senses/motion.h"
#include "lobug/setup/improv.h"
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
  ScriptedVitals& vitals;
  BodyWorld& body;
  std::string_view board;
  HostScreen* screen;                               ///< nullptr: it has none to look at
  const std::atomic<std::int64_t>& audio_pause_us;  ///< longest between two rounds of the sound
  std::function<void()> quit;
};

/// The Wi-Fi that commands switch: two networks are in range, and one is up, down or refuses its
/// password as the last command said.
class ScriptedWifi final : public Wifi {
 public:
  explicit ScriptedWifi(Store& store);
  Link link() const override { return link_; }
  /// Joining takes until a command says how it went.
  void reload_if_changed() override;
  bool look(Millis /*now*/) override { return true; }
  bool is_looking() const override { return false; }
  Span<const WifiNetwork> networks() const override { return networks_; }
  void set(Link link) { link_ = link; }

 private:
  Store& store_;
  Text<32> name_;
  Text<64> password_;
  Link link_ = Link::kNone;
  WifiNetwork networks_[2];
};

/// What the device has written, until an event tells it.
class SerialBuffer final : public SerialOutput {
 public:
  void write(std::string_view bytes) override { written_ += bytes; }
  std::string take() { return std::exchange(written_, {}); }
  bool empty() const { return written_.empty(); }
  bool has_packet() const { return written_.find("IMPROV\x01") != std::string::npos; }

 private:
  std::string written_;
};

/// Events: `view` with the fields that have changed, `did` with each `command`, `stats`,
/// `console`, `serial`, `error`. Everything by the screen's thread.
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
  void console(const std::string& line, Millis now);
  void serial(const std::string& hex, Millis now);
  /// Tells of what the console has answered.
  void tell_answer();
  /// Tells of what was written to the line; nothing when nothing was.
  void tell_written();
  void stats();
  void feel(Millis now);
  void tell(const View& view);

  ScreenWorld world_;
  CommandQueue& commands_;
  ScriptedWifi wifi_;
  SerialBuffer written_;
  bool asked_by_serial_ = false;  ///< in this round
  SerialLine line_;
  MotionSense sense_;
  MotionSample lying_;  ///< what the sensor has while nothing special happens
  Deadline next_reading_;
  Deadline shaken_until_;
  Deadline stroked_until_;
  bool knocked_ = false;
  bool motion_dead_ = false;
  std::uint32_t readings_ = 0;
  BatteryReading battery_;
  View shown_;
  bool told_ = false;
  std::atomic<Millis> last_tap_{0};
};

}  // namespace lobug::sim
