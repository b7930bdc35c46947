// The audio thread's work: rotates buffers through microphone and speaker and switches between
// them.
#pragma once

#include <array>
#include <cstdint>

#include "lobug/audio/audio_link.h"
#include "lobug/audio/beep.h"
#include "lobug/audio/format.h"
#include "lobug/audio/level.h"
#include "lobug/base/clock.h"
#include "lobug/ports/sound.h"

namespace lobug {

struct AudioTiming {
  /// What is recorded within this time after the speaker was closed is thrown away: amplifier and
  /// codec still crackle.
  Millis settle_ms = 150;
  /// Thrown away whenever the microphone was opened: a microphone that starts says nothing true.
  /// M5's own task discards two reads of its I2S before that.
  Millis start_ms = 20;
  /// Kept open after the speaker gave its last buffer back: M5Unified's I2S still holds 43 ms of it
  /// (8 buffers of 256 samples at 48 kHz), which closing would cut off.
  Millis tail_ms = 60;
  /// The longest wait for the microphone's last buffers when it is to be closed.
  Millis drain_ms = 100;
  /// Between two tries to open what could not be opened.
  Millis retry_ms = 500;
};

/// `step` is called every few milliseconds. Three buffers rotate each way, since both drivers hold
/// two that must not be touched. Allocates nothing.
///
/// The speaker is open while the session wants to play, while a reply or a beep still sounds, and
/// the microphone only while the session wants to listen and nothing sounds. A beep that is due
/// while the microphone is open waits until nobody speaks, then the microphone pauses for it.
class AudioPump {
 public:
  AudioPump(AudioLink& link, Microphone& microphone, Speaker& speaker, AudioTiming timing = {});
  void step(Millis now);

 private:
  using Buffer = std::array<std::int16_t, kUplinkFrameSamples>;

  AudioMode target() const;
  void open(AudioMode mode, Millis now);
  void enter(AudioMode mode);

  void start_listening(Millis now);
  void listen(Millis now);
  void hand_over(const Buffer& frame);

  void start_playing(Millis now);
  void play(Millis now);
  void feed_speaker(Millis now);
  void follow_generation();
  /// Measures for how long a reply pauses in its middle.
  void watch_gap(bool sounds, Millis now);
  void set_volume();

  AudioLink& link_;
  Microphone& microphone_;
  Speaker& speaker_;
  const AudioTiming timing_;

  AudioMode mode_ = AudioMode::kOff;
  Deadline microphone_retry_;  // set while it could not be opened
  Deadline speaker_retry_;
  Deadline settled_;  // set while the speaker was open a moment ago

  // The driver holds the `held_` buffers before `next_`; half duplex, so they serve both ways.
  std::array<Buffer, 3> buffers_{};
  std::size_t next_ = 0;
  std::size_t held_ = 0;

  // Listening.
  std::size_t settle_frames_ = 0;  // still to be thrown away
  Deadline drained_;               // set while the microphone is about to be closed
  VoiceActivity voice_;

  // Playing.
  std::array<std::uint8_t, 3> levels_{};  // loudness of what is in each buffer
  std::uint32_t generation_ = 0;          // of what the speaker holds
  bool announced_ = false;                // first_sound was set for it
  bool reply_held_ = false;               // the speaker holds some of a reply, not only a beep
  bool begun_ = false;                    // some of the reply was read
  bool dry_ = false;                      // nothing of it is left, and it has not ended
  Millis dry_since_ = 0;
  bool heard_ = false;    // something was played and its end is not certain yet
  Millis last_held_ = 0;  // when the speaker last held a buffer
  Beep beep_;
  std::uint8_t volume_ = 0;
  bool volume_set_ = false;
};

}  // namespace lobug
