// Microphone and speaker, as M5Unified has them: both take buffers and give them back later.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lobug/base/span.h"

namespace lobug {

/// PCM, 16 bit, mono, 16 kHz. After M5.Mic: `record` only queues a buffer; the queue holds two.
class Microphone {
 public:
  virtual ~Microphone() = default;
  /// False when the microphone cannot be started.
  virtual bool start() = 0;
  /// Gives back every buffer, filled or not.
  virtual void stop() = 0;
  /// Queue a buffer to be filled; false when two wait already. It belongs to the microphone until
  /// `queued` says that it was left.
  virtual bool record(Span<std::int16_t> buffer) = 0;
  /// Buffers that are not full yet: 0, 1 or 2. They are filled in the order of `record`.
  virtual std::size_t queued() const = 0;
};

/// PCM, 16 bit, mono, 16 kHz. After M5.Speaker: `play` does not copy; current and next are held.
class Speaker {
 public:
  virtual ~Speaker() = default;
  virtual bool start() = 0;
  virtual void stop() = 0;
  /// Queue a buffer to be played; false when two are held already. It belongs to the speaker until
  /// `queued` says that it was left.
  virtual bool play(Span<const std::int16_t> buffer) = 0;
  /// Buffers that are not played to their end yet: 0, 1 or 2.
  virtual std::size_t queued() const = 0;
  /// Silence at once; gives back every buffer.
  virtual void silence() = 0;
  /// 0 to 100.
  virtual void set_volume(std::uint8_t percent) = 0;
};

}  // namespace lobug
