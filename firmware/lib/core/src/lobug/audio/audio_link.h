// What the session's thread and the audio thread share.
#pragma once

#include <atomic>
#include <cstdint>

#include "lobug/audio/jitter_buffer.h"
#include "lobug/audio/ring.h"
#include "lobug/base/clock.h"

namespace lobug {

/// A Core2 can listen or play, never both: microphone and speaker share a pin.
enum class AudioMode : std::uint8_t { kOff, kListen, kPlay };

/// Which reply sounded first when, in one word: an ESP32 cannot change a larger one in one go. Of
/// the downlink's generation and of the clock's milliseconds it holds the lower 16 bits each.
constexpr std::uint32_t first_sound_mark(std::uint32_t generation, Millis at) {
  return generation << 16U | (at & 0xFFFFU);
}
/// When that was; no sooner than `since` and no more than 65 s later.
constexpr Millis first_sound_at(std::uint32_t mark, Millis since) {
  return since + ((mark - since) & 0xFFFFU);
}

struct AudioLink {
  AudioLink(Span<std::int16_t> uplink_storage, Span<std::int16_t> downlink_storage,
            std::uint32_t prefill_ms = kPrefillMs)
      : uplink(uplink_storage), downlink(downlink_storage, prefill_ms) {}

  SampleRing uplink;      ///< microphone to server
  JitterBuffer downlink;  ///< server to speaker

  /// What the session wants; the audio thread switches over when it can.
  std::atomic<AudioMode> wanted{AudioMode::kOff};
  /// The present mode. kListen only while the microphone is open; the status bar shows it.
  std::atomic<AudioMode> actual{AudioMode::kOff};
  /// Loudness of what is heard or played now, 0 to 255 (the level meter, the mouth).
  std::atomic<std::uint8_t> level{0};
  /// Whether what the microphone hears now is speech, as far as the device can tell.
  std::atomic<bool> voice{false};
  /// Volume, 0 to 100.
  std::atomic<std::uint8_t> volume{70};
  /// Set by the audio thread when the first sample of a reply goes to the speaker: see
  /// `first_sound_mark`.
  std::atomic<std::uint32_t> first_sound{0};
  /// Beeps to sound over whatever plays; taken by the audio thread, which sets it to 0.
  std::atomic<std::uint8_t> beeps{0};
  /// Milliseconds for which replies paused because the rest of them came late.
  std::atomic<std::uint32_t> late_ms{0};
  /// Samples of the microphone that were lost because the uplink was full.
  std::atomic<std::uint32_t> uplink_lost{0};
};

}  // namespace lobug
