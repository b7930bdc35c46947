// A microphone in a quiet room in which recordings are played, with the ways of M5.Mic.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "event_log.h"
#include "lobug/ports/sound.h"
#include "wav_speaker.h"

namespace lobug::sim {

/// Keeps real time: 16,000 samples a second, whether somebody takes them or not. As on the device
/// - a buffer that is waiting holds rubbish until it is full,
/// - what no buffer waits for is lost after the 64 ms that the driver's own memory holds,
/// - the first 10 ms after the microphone was opened, and 100 ms after the speaker was closed, are
///   a loud crackle.
/// `start`, `record` and the like by the audio thread, `say` by any.
class RoomMicrophone final : public Microphone {
 public:
  RoomMicrophone(EventLog& log, const WavSpeaker& speaker) : log_(log), speaker_(speaker) {}

  bool start() override;
  void stop() override;
  bool record(Span<std::int16_t> buffer) override;
  std::size_t queued() const override;

  /// Somebody speaks, `delay_ms` after now (`at_once`) or after the microphone is open: whoever
  /// talks to a device waits until it listens. Each opening begins one of those that wait.
  /// Events: `speech` with `name` and `said` false when it begins, true when it is over.
  void say(std::string name, std::vector<std::int16_t> samples, std::uint32_t delay_ms,
           bool at_once);
  /// From now on `start` fails (a broken part).
  void set_broken(bool broken);
  /// From now on every sample is 0 (a broken wire).
  void set_dead(bool dead);
  std::uint32_t lost() const;

 private:
  struct Speech {
    std::string name;
    std::vector<std::int16_t> samples;
    std::uint32_t delay_ms = 0;
    std::int64_t begins = 0;  ///< sample of the room's time
    bool announced = false;
  };
  static std::int64_t room_time();
  void begin_next(std::int64_t now);
  void advance();
  std::int16_t sample_at(std::int64_t when) const;

  EventLog& log_;
  const WavSpeaker& speaker_;
  mutable std::mutex lock_;
  std::deque<Speech> waiting_;
  std::deque<Speech> spoken_;  ///< begun, in the order of their beginning
  std::deque<Span<std::int16_t>> buffers_;
  std::size_t filled_ = 0;     ///< samples of the first buffer
  std::int64_t position_ = 0;  ///< the next sample to be recorded, in the room's time
  std::int64_t crackles_until_ = 0;
  bool open_ = false;
  bool broken_ = false;
  bool dead_ = false;
  std::uint32_t lost_ = 0;
};

}  // namespace lobug::sim
