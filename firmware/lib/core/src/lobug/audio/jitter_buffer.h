// Evens out what the network delivers in bursts, so that playback neither stutters nor cuts
// endings.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lobug/audio/format.h"
#include "lobug/audio/ring.h"

namespace lobug {

/// With 2 % loss and 100 ms jitter this never ran dry in an hour of simulated replies, 120 ms did
/// 43 times (tests/audio/test_poor_network.cpp). It delays a reply only where packets are late: the
/// server sends the first 720 ms at once.
constexpr std::uint32_t kPrefillMs = 300;

/// Replies on their way to the speaker. The session's thread begins, adds, ends and discards;
/// the audio thread reads. A reply starts to sound when `prefill` is there or it has ended; after
/// it ran dry in mid-reply it waits for `prefill` again.
class JitterBuffer {
 public:
  explicit JitterBuffer(Span<std::int16_t> storage, std::uint32_t prefill_ms = kPrefillMs);

  // By the session's thread:
  /// A reply begins; what is left of an earlier one is discarded: a server that interrupts a reply
  /// says so by beginning another.
  void begin();
  /// How many samples were taken; the rest did not fit and is lost (counted in `lost`). Outside of
  /// a reply (before `begin`, after `end` or `discard`) none are taken, and none are counted.
  std::size_t add(Span<const std::int16_t> samples);
  /// No more will come; what is there is played to its end.
  void end();
  /// Silence from now on (an interruption).
  void discard();

  // By the audio thread:
  /// Fill `into` with what is to sound next; returns the samples given: 0 while it waits, fewer
  /// than asked for at the end of a reply or of what is there. What was discarded gives its room
  /// back in here, so it is to be called (with an empty span) even while nothing is to be played.
  std::size_t read(Span<std::int16_t> into);
  /// The generation that `read` saw last: that of the samples it gave.
  std::uint32_t read_generation() const { return read_generation_; }

  // By any thread:
  /// True from `begin` until the last sample after `end` (or `discard`) was read.
  bool active() const;
  /// Grows with each `begin` and `discard`: what was read under an older number is to be silenced.
  /// Wraps after 2^30.
  std::uint32_t generation() const;
  /// Milliseconds of sound that wait.
  std::uint32_t buffered_ms() const;
  /// Times that a reply ran dry in its middle (more of it followed), and samples that did not fit,
  /// since the start.
  std::uint32_t starved() const;
  std::uint32_t lost() const;

 private:
  enum class Phase : std::uint8_t { kSilent, kFilling, kEnded };
  static Phase phase_of(std::uint32_t state);
  void enter(Phase phase);
  /// By the audio thread: lets go of what was discarded, then says where the reply stands and how
  /// many of its samples can be read.
  bool look(Phase& phase, std::size_t& available);
  std::uint32_t waiting() const;

  SampleRing ring_;
  const std::uint32_t prefill_;  // samples

  // Written by the session's thread. Positions count all samples ever, modulo 2^32.
  std::atomic<std::uint32_t> state_;       // generation and phase, see jitter_buffer.cpp
  std::atomic<std::uint32_t> start_{0};    // position of the newest generation's first sample
  std::atomic<std::uint32_t> written_{0};  // position of the next sample to be added
  std::atomic<std::uint32_t> lost_{0};

  // Written by the audio thread.
  std::atomic<std::uint32_t> read_{0};  // position of the next sample to be read
  std::atomic<std::uint32_t> starved_{0};
  std::uint32_t read_generation_ = 0;
  bool playing_ = false;  // the prefill was reached
  bool dry_ = false;      // it played until nothing was left; starved if more of the reply follows
};

}  // namespace lobug
