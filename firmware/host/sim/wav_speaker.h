// A speaker that writes what sounds to a WAV file, with the ways of M5.Speaker.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <vector>

#include "event_log.h"
#include "lobug/ports/sound.h"
#include "wav_file.h"

namespace lobug::sim {

/// Keeps real time; holds two buffers and copies none, so what is written to a buffer that still
/// sounds is heard, and counted as torn. The file has what sounded, at full volume, without the
/// pauses. Used by the audio thread; the counters by any.
///
/// Events: `sound` with `on`, `file_samples` (the file's length by then) and, where it went on
/// after a pause of less than a second, `gap_ms`; `volume` with `percent`.
class WavSpeaker final : public Speaker {
 public:
  WavSpeaker(const std::filesystem::path& file, EventLog& log) : file_(file), log_(log) {}

  bool start() override;
  void stop() override;
  bool play(Span<const std::int16_t> buffer) override;
  std::size_t queued() const override;
  void silence() override;
  void set_volume(std::uint8_t percent) override;

  struct Counters {
    std::uint32_t played = 0;  ///< samples
    std::uint32_t torn = 0;    ///< buffers that changed while they sounded
    /// Unintended pauses of less than a second. Those of at most 43 ms are left out: the
    /// device's I2S holds as much, so they are inaudible.
    std::uint32_t gaps = 0;
  };
  Counters counters() const;
  /// When it was closed last, of `now_us`; long ago when it never was.
  std::int64_t closed_at_us() const { return closed_at_us_.load(); }

 private:
  struct Held {
    Span<const std::int16_t> buffer;
    std::vector<std::int16_t> as_given;
    std::int64_t begins_us = 0;
  };
  static std::int64_t duration_us(std::size_t samples);
  void advance();
  void sounded(const Held& held, std::size_t samples);
  void fall_silent(std::int64_t at_us, bool asked_for);

  WavWriter file_;
  EventLog& log_;
  mutable std::mutex lock_;
  std::deque<Held> held_;
  bool sounding_ = false;
  bool pause_is_gap_ = false;
  std::int64_t silent_since_us_ = 0;
  std::atomic<std::int64_t> closed_at_us_{-1'000'000'000};
  Counters counters_;
};

}  // namespace lobug::sim
