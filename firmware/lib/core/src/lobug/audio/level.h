// Loudness and voice activity of what a microphone hears, for the level meter and the mouth.
#pragma once

#include <cstdint>

#include "lobug/base/span.h"

namespace lobug {

/// Loudness of some samples on a perceptual scale: 0 (-60 dBFS and less) to 255
/// (-6 dBFS and more).
std::uint8_t loudness(Span<const std::int16_t> samples);

/// A voice activity detector by energy over an adapting noise floor. It only moves the face:
/// where an utterance ends is found by the server.
class VoiceActivity {
 public:
  /// Takes a frame of 10 to 30 ms; returns whether it is speech.
  bool update(Span<const std::int16_t> samples);
  void reset();

 private:
  std::uint32_t floor_ = 0;
  std::uint16_t hang_ = 0;
  bool voice_ = false;
};

}  // namespace lobug
