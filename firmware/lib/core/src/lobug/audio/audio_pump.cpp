#include "lobug/audio/audio_pump.h"

#include <algorithm>

namespace lobug {
namespace {

constexpr std::size_t kDriverHolds = 2;

Span<std::int16_t> span_of(std::array<std::int16_t, kUplinkFrameSamples>& buffer) {
  return {buffer.data(), buffer.size()};
}

}  // namespace

AudioPump::AudioPump(AudioLink& link, Microphone& microphone, Speaker& speaker, AudioTiming timing)
    : link_(link), microphone_(microphone), speaker_(speaker), timing_(timing) {}

void AudioPump::step(Millis now) {
  // Also while nothing plays: this frees the room of discarded samples for the session.
  link_.downlink.read({});
  set_volume();
  beep_.add(link_.beeps.exchange(0, std::memory_order_relaxed));
  // Cleared as soon as they are due: after 25 days they would be in the future again.
  if (microphone_retry_.due(now)) microphone_retry_.clear();
  if (speaker_retry_.due(now)) speaker_retry_.clear();
  if (settled_.due(now)) settled_.clear();

  if (mode_ == AudioMode::kListen) listen(now);
  if (mode_ == AudioMode::kPlay) play(now);
  if (mode_ == AudioMode::kOff && target() != AudioMode::kOff) open(target(), now);
}

AudioMode AudioPump::target() const {
  if (beep_.sounding()) {
    // A beep waits until nobody speaks.
    const bool disturbs = mode_ == AudioMode::kListen && link_.voice.load();
    if (!disturbs) return AudioMode::kPlay;
  }
  if (mode_ == AudioMode::kPlay && (link_.downlink.active() || heard_)) return AudioMode::kPlay;
  return link_.wanted.load();
}

void AudioPump::open(AudioMode mode, Millis now) {
  if (mode == AudioMode::kListen) {
    if (!microphone_retry_.is_set()) start_listening(now);
    return;
  }
  if (!speaker_retry_.is_set()) start_playing(now);
  if (mode_ == AudioMode::kPlay) return;
  // Without a speaker a reply ends as soon as it comes: the session must not wait for it.
  beep_ = Beep();
  while (link_.downlink.read(span_of(buffers_[0])) > 0) {
  }
}

void AudioPump::enter(AudioMode mode) {
  mode_ = mode;
  link_.level = 0;
  link_.voice = false;
  link_.actual = mode;
}

void AudioPump::start_listening(Millis now) {
  if (!microphone_.start()) {
    microphone_retry_.set(now, timing_.retry_ms);
    return;
  }
  microphone_retry_.clear();
  held_ = 0;
  drained_.clear();
  voice_.reset();
  const Millis spoiled = std::max(timing_.start_ms, settled_.left(now));
  settle_frames_ = (spoiled + kUplinkFrameMs - 1) / kUplinkFrameMs;
  enter(AudioMode::kListen);
  listen(now);
}

void AudioPump::listen(Millis now) {
  // Buffers are filled in the order in which they were given: one that left the queue is full.
  for (const std::size_t queued = microphone_.queued(); held_ > queued; --held_) {
    hand_over(buffers_[(next_ + buffers_.size() - held_) % buffers_.size()]);
  }
  if (target() == AudioMode::kListen) {
    drained_.clear();
    while (held_ < kDriverHolds && microphone_.record(span_of(buffers_[next_]))) {
      next_ = (next_ + 1) % buffers_.size();
      ++held_;
    }
    return;
  }
  // The driver still writes to the buffers it holds, and the last syllable of a push to talk is in
  // them.
  if (!drained_.is_set()) drained_.set(now, timing_.drain_ms);
  if (held_ > 0 && !drained_.due(now)) return;
  microphone_.stop();
  held_ = 0;
  enter(AudioMode::kOff);
}

void AudioPump::hand_over(const Buffer& frame) {
  if (settle_frames_ > 0) {
    --settle_frames_;
    return;
  }
  const Span<const std::int16_t> samples(frame.data(), frame.size());
  link_.level = loudness(samples);
  link_.voice = voice_.update(samples);
  // A whole frame or none of it: half of one would be a click in the middle of a word.
  if (link_.uplink.room() >= samples.size()) {
    link_.uplink.write(samples);
  } else {
    link_.uplink_lost.fetch_add(static_cast<std::uint32_t>(samples.size()));
  }
}

void AudioPump::start_playing(Millis now) {
  if (!speaker_.start()) {
    speaker_retry_.set(now, timing_.retry_ms);
    return;
  }
  speaker_retry_.clear();
  held_ = 0;
  heard_ = false;
  reply_held_ = false;
  volume_set_ = false;
  set_volume();
  enter(AudioMode::kPlay);
  play(now);
}

void AudioPump::play(Millis now) {
  held_ = std::min(held_, speaker_.queued());
  follow_generation();
  feed_speaker(now);

  if (held_ > 0) {
    last_held_ = now;
    link_.level = levels_[(next_ + buffers_.size() - held_) % buffers_.size()];
    return;
  }
  link_.level = 0;
  reply_held_ = false;
  if (heard_ && elapsed(last_held_, now) >= timing_.tail_ms) heard_ = false;
  if (target() == AudioMode::kPlay) return;
  speaker_.stop();
  settled_.set(now, timing_.settle_ms);
  enter(AudioMode::kOff);
}

void AudioPump::feed_speaker(Millis now) {
  while (held_ < kDriverHolds) {
    Buffer& buffer = buffers_[next_];
    std::size_t count = link_.downlink.read(span_of(buffer));
    follow_generation();
    const bool reply = count > 0;
    watch_gap(reply, now);
    if (beep_.sounding()) {
      std::fill(buffer.begin() + static_cast<std::ptrdiff_t>(count), buffer.end(), std::int16_t{0});
      count = buffer.size();
      beep_.mix(span_of(buffer));
    }
    if (count == 0) return;
    levels_[next_] = loudness({buffer.data(), count});
    if (!speaker_.play({buffer.data(), count})) return;
    next_ = (next_ + 1) % buffers_.size();
    ++held_;
    heard_ = true;
    reply_held_ = reply_held_ || reply;
    if (reply && !announced_) {
      announced_ = true;
      link_.first_sound = first_sound_mark(generation_, now);
    }
  }
}

// The end of a reply is no gap, but looks like one until its end is announced.
void AudioPump::watch_gap(bool sounds, Millis now) {
  if (sounds && dry_) link_.late_ms.fetch_add(elapsed(dry_since_, now), std::memory_order_relaxed);
  const bool dry = !sounds && begun_ && link_.downlink.active();
  if (dry && !dry_) dry_since_ = now;
  dry_ = dry;
  begun_ = sounds || (begun_ && dry);
}

void AudioPump::follow_generation() {
  if (link_.downlink.read_generation() == generation_) return;
  generation_ = link_.downlink.read_generation();
  begun_ = dry_ = false;
  announced_ = false;
  if (held_ > 0 && !reply_held_) return;  // a beep alone may end
  if (held_ > 0) speaker_.silence();
  held_ = 0;
  reply_held_ = false;
  heard_ = false;  // no tail to wait for: a tap interrupts at once
}

void AudioPump::set_volume() {
  const std::uint8_t volume = link_.volume.load(std::memory_order_relaxed);
  if (volume_set_ && volume == volume_) return;
  volume_ = volume;
  volume_set_ = true;
  speaker_.set_volume(std::min<std::uint8_t>(volume, 100));
}

}  // namespace lobug
