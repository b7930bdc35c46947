// The audio thread's work: rotates buffers through microphone and speaker and switches between them.
#pragma once

#include <array>
#include <cstdint>

#include "lobug/audio/audio_link.h"
#include "lobug/audio/format.h"
#include "lobug/base/clock.h"
#include "lobug/ports/sound.h"

namespace lobug {

struct AudioTiming {
  /// Thrown away after the microphone was opened: the first samples after a switch are noise.
  Millis settle_ms = 150;
};

/// `step` is called every few milliseconds. Three buffers rotate each way, since both drivers hold
/// two that nobody may touch. Allocates nothing.
class AudioPump {
 public:
  AudioPump(AudioLink& link, Microphone& microphone, Speaker& speaker, AudioTiming timing = {});
  void step(Millis now);

 private:
  AudioLink& link_;
  Microphone& microphone_;
  Speaker& speaker_;
  AudioTiming timing_;
  std::array<std::array<std::int16_t, kUplinkFrameSamples>, 3> buffers_{};
};

}  // namespace lobug
