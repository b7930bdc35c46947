// All that the session's thread and the audio thread have in common.
#pragma once

#include <atomic>
#include <cstdint>

#include "lobug/audio/jitter_buffer.h"
#include "lobug/audio/ring.h"

namespace lobug {

/// A Core2 can listen or play, never both: microphone and speaker share a pin.
enum class AudioMode : std::uint8_t { kOff, kListen, kPlay };

struct AudioLink {
  AudioLink(Span<std::int16_t> uplink_storage, Span<std::int16_t> downlink_storage,
            std::uint32_t prefill_ms = kPrefillMs)
      : uplink(uplink_storage), downlink(downlink_storage, prefill_ms) {}

  SampleRing uplink;      ///< microphone to server
  JitterBuffer downlink;  ///< server to speaker

  /// What the session wants; the audio thread switches over when it can.
  std::atomic<AudioMode> wanted{AudioMode::kOff};
  /// What it is. kListen only while the microphone is open: what the status bar shows.
  std::atomic<AudioMode> actual{AudioMode::kOff};
  /// Loudness of what is heard or played now, 0 to 255 (the level meter, the mouth).
  std::atomic<std::uint8_t> level{0};
  /// Whether what the microphone hears now is speech, as far as the device can tell.
  std::atomic<bool> voice{false};
  /// Volume, 0 to 100.
  std::atomic<std::uint8_t> volume{60};
  /// Set by the audio thread when the first sample of a reply goes to the speaker: the clock's
  /// milliseconds in the upper, the low 32 bits of the downlink's generation in the lower half.
  std::atomic<std::uint64_t> first_sound{0};
  /// Beeps to sound over whatever plays; taken by the audio thread, which sets it to 0.
  std::atomic<std::uint8_t> beeps{0};
  /// Samples of the microphone that were lost because the uplink was full.
  std::atomic<std::uint32_t> uplink_lost{0};
};

}  // namespace lobug
