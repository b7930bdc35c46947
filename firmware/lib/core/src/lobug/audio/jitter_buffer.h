// Evens out what the network delivers in bursts, so that playback neither stutters nor cuts endings.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lobug/audio/format.h"
#include "lobug/audio/ring.h"

namespace lobug {

/// Replies on their way to the speaker. The session's thread begins, adds, ends and discards;
/// the audio thread reads. A reply starts to sound when `prefill` is there or it has ended; after
/// it ran dry in mid-reply it waits for `prefill` again.
class JitterBuffer {
 public:
  explicit JitterBuffer(Span<std::int16_t> storage, std::uint32_t prefill_ms = 120);

  // By the session's thread:
  /// A reply begins; what is left of an earlier one is discarded.
  void begin();
  /// How many samples were taken; the rest did not fit and is lost (counted in `lost`).
  std::size_t add(Span<const std::int16_t> samples);
  /// No more will come; what is there is played to its end.
  void end();
  /// Silence from now on (an interruption).
  void discard();

  // By the audio thread:
  /// Fill `into` with what is to sound next; returns the samples given: 0 while it waits, fewer
  /// than asked for at the end of a reply or of what is there.
  std::size_t read(Span<std::int16_t> into);

  // By any thread:
  /// True from `begin` until the last sample after `end` (or `discard`) was read.
  bool active() const;
  /// Grows with each `begin` and `discard`: what was read under an older number is to be silenced.
  std::uint32_t generation() const;
  /// Milliseconds of sound that wait.
  std::uint32_t buffered_ms() const;
  /// Times that a reply ran dry before its end, and samples that did not fit, since the start.
  std::uint32_t starved() const;
  std::uint32_t lost() const;

 private:
  // The storage's own business; see jitter_buffer.cpp.
  SampleRing ring_;
  const std::size_t prefill_;
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<bool> ended_{true};
  std::atomic<std::size_t> discard_until_{0};
  std::atomic<std::uint32_t> starved_{0};
  std::atomic<std::uint32_t> lost_{0};
  std::atomic<bool> playing_{false};
};

}  // namespace lobug
