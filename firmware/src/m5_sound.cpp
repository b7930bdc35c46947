#include "m5_sound.h"

#include <Arduino.h>

#include <algorithm>

#include "lobug/audio/format.h"
#include "tasks.h"

namespace lobug {
namespace {

constexpr std::uint8_t kChannel = 0;
// M5 multiplies each sample by magnification / 8.13 at full volume. A Core2's 16 would cut off the
// peaks of speech above 71 % of volume.
constexpr std::uint8_t kLoudest = 8;
// M5's task has been woken by then, or never will be.
constexpr Millis kWakeMs = 50;
// A buffer of M5's I2S lasts 5.3 ms; `stop` takes effect with the next.
constexpr int kSilenceMs = 30;

}  // namespace

void configure_sound() {
  auto microphone = M5.Mic.config();
  microphone.sample_rate = kSampleRate;
  microphone.task_priority = kM5SoundTasks.priority;
  microphone.task_pinned_core = static_cast<std::uint8_t>(kM5SoundTasks.core);
  M5.Mic.config(microphone);
  auto speaker = M5.Speaker.config();
  speaker.magnification = std::min(speaker.magnification, kLoudest);
  speaker.task_priority = kM5SoundTasks.priority;
  speaker.task_pinned_core = static_cast<std::uint8_t>(kM5SoundTasks.core);
  M5.Speaker.config(speaker);
}

bool M5Microphone::start() {
  given_ = 0;
  seen_ = true;
  return M5.Mic.isEnabled() && M5.Mic.begin();
}

void M5Microphone::stop() {
  // `end` forgets nothing that is queued: the next `begin` would go on filling those buffers. The
  // pump lets the queue run empty before it stops.
  M5.Mic.end();
}

bool M5Microphone::record(Span<std::int16_t> buffer) {
  if (queued() >= 2) return false;
  // `record` only queues. It may wait a tick or two until M5's task took over the one before.
  const bool idle = M5.Mic.isRecording() == 0;
  if (!M5.Mic.record(buffer.data(), buffer.size(), kSampleRate)) return false;
  given_ = idle && !seen_ ? given_ + 1 : 1;
  recorded_at_ = millis();
  seen_ = !idle;
  return true;
}

std::size_t M5Microphone::queued() const {
  const std::size_t recording = M5.Mic.isRecording();
  if (recording > 0) {
    seen_ = true;
    return recording;
  }
  // isRecording() says 0 also when buffers are queued and M5's task has not woken up yet. Who
  // believed that would read a buffer that was never filled.
  if (!seen_ && elapsed(recorded_at_, millis()) < kWakeMs) return given_ < 2 ? given_ : 2;
  return 0;
}

bool M5Speaker::start() { return M5.Speaker.isEnabled() && M5.Speaker.begin(); }

void M5Speaker::stop() { M5.Speaker.end(); }

bool M5Speaker::play(Span<const std::int16_t> buffer) {
  // With both places taken playRaw would wait.
  if (queued() >= 2) return false;
  return M5.Speaker.playRaw(buffer.data(), buffer.size(), kSampleRate, false, 1, kChannel, false);
}

std::size_t M5Speaker::queued() const { return M5.Speaker.isPlaying(kChannel); }

void M5Speaker::silence() {
  M5.Speaker.stop(kChannel);
  // `stop` leaves a mark in the place of the next buffer, which a `playRaw` before M5's task saw it
  // would write over: the old sound would go on.
  for (int waited = 0; waited < kSilenceMs && queued() > 0; ++waited) delay(1);
}

void M5Speaker::set_volume(std::uint8_t percent) {
  // M5 squares it, which is how loudness is heard.
  M5.Speaker.setVolume(static_cast<std::uint8_t>(percent * 255U / 100U));
}

}  // namespace lobug
