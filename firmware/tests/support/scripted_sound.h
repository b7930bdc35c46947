// Microphone and speaker that behave as M5.Mic and M5.Speaker do, in simulated time, and that
// notice who reads a buffer too early or writes to one that is being played.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "lobug/audio/format.h"
#include "lobug/base/span.h"
#include "lobug/ports/sound.h"

namespace lobug {

/// What both share: time, the pin that only one may use, and the first thing that went wrong.
struct SoundBench {
  int open = 0;
  std::string fault;  ///< empty as long as everything was right
  void blame(const std::string& what) {
    if (fault.empty()) fault = what;
  }
};

/// Fills buffers sample by sample while time passes. M5.Mic never writes INT16_MIN (it keeps 16
/// away from both ends), so that value is the poison in what is not filled yet.
class ScriptedMicrophone final : public Microphone {
 public:
  static constexpr std::int16_t kPoison = INT16_MIN;

  explicit ScriptedMicrophone(SoundBench& bench) : bench_(bench) {}

  /// What is heard at the n-th sample since the microphone was opened; a ramp unless set.
  std::function<std::int16_t(std::size_t)> source = [](std::size_t n) { return ramp(n); };
  /// Starts to come that fail.
  int failing_starts = 0;
  /// Nothing is ever filled again.
  bool dead = false;
  bool open = false;
  int starts = 0;
  /// Samples that came while no buffer was queued.
  std::size_t overrun = 0;

  static std::int16_t ramp(std::size_t n) { return static_cast<std::int16_t>(n % 32000); }

  bool start() override {
    if (open) bench_.blame("microphone started twice");
    if (failing_starts > 0) {
      --failing_starts;
      return false;
    }
    if (++bench_.open > 1) bench_.blame("microphone opened while the speaker was open");
    open = true;
    ++starts;
    heard_ = 0;
    return true;
  }
  void stop() override {
    if (!open) bench_.blame("microphone stopped twice");
    // M5.Mic.end() forgets nothing: the next begin() would go on writing to these buffers.
    if (!queue_.empty() && !dead) bench_.blame("microphone stopped while it held buffers");
    queue_.clear();
    --bench_.open;
    open = false;
  }
  bool record(Span<std::int16_t> buffer) override {
    if (!open) bench_.blame("record while the microphone was closed");
    if (queue_.size() == 2) return false;
    for (const Taken& taken : queue_) {
      if (taken.buffer.data() == buffer.data()) bench_.blame("a buffer was queued twice");
    }
    std::fill(buffer.begin(), buffer.end(), kPoison);
    queue_.push_back({buffer, 0});
    return true;
  }
  std::size_t queued() const override { return queue_.size(); }

  void advance(std::size_t samples) {
    if (!open || dead) return;
    for (; samples > 0; --samples, ++heard_) {
      if (queue_.empty()) {
        ++overrun;
        continue;
      }
      Taken& first = queue_.front();
      first.buffer[first.filled++] = source(heard_);
      if (first.filled == first.buffer.size()) queue_.pop_front();
    }
  }

 private:
  struct Taken {
    Span<std::int16_t> buffer;
    std::size_t filled;
  };
  SoundBench& bench_;
  std::deque<Taken> queue_;
  std::size_t heard_ = 0;
};

/// Holds two buffers without copying them, and takes from them ahead of time into the memory of the
/// I2S (43 ms), which still sounds after the buffers were given back and is lost by `stop`.
class ScriptedSpeaker final : public Speaker {
 public:
  static constexpr std::size_t kDma = 2048 * kSampleRate / 48000;

  explicit ScriptedSpeaker(SoundBench& bench) : bench_(bench) {}

  int failing_starts = 0;
  bool open = false;
  int starts = 0;
  int silenced = 0;
  std::uint8_t volume = 255;
  /// Everything that left the speaker while it was open; 0 where there was nothing to play.
  std::vector<std::int16_t> sounded;
  /// Samples that were not heard because the speaker was closed too early.
  std::size_t cut = 0;

  bool start() override {
    if (open) bench_.blame("speaker started twice");
    if (failing_starts > 0) {
      --failing_starts;
      return false;
    }
    if (++bench_.open > 1) bench_.blame("speaker opened while the microphone was open");
    open = true;
    ++starts;
    return true;
  }
  void stop() override {
    if (!open) bench_.blame("speaker stopped twice");
    for (const Taken& taken : queue_) cut += taken.buffer.size() - taken.used;
    if (!was_silenced_) cut += dma_.size();
    queue_.clear();
    dma_.clear();
    --bench_.open;
    open = false;
  }
  bool play(Span<const std::int16_t> buffer) override {
    if (!open) bench_.blame("play while the speaker was closed");
    if (queue_.size() == 2) return false;
    for (const Taken& taken : queue_) {
      if (taken.buffer.data() == buffer.data()) bench_.blame("a buffer was played twice");
    }
    queue_.push_back({buffer, {buffer.begin(), buffer.end()}, 0});
    was_silenced_ = false;
    fill_dma();
    return true;
  }
  std::size_t queued() const override { return queue_.size(); }
  void silence() override {
    ++silenced;
    was_silenced_ = true;
    check();
    queue_.clear();
  }
  void set_volume(std::uint8_t percent) override { volume = percent; }

  void advance(std::size_t samples) {
    if (!open) return;
    check();
    while (samples > 0 && !dma_.empty()) {
      const auto end = dma_.begin() + static_cast<std::ptrdiff_t>(std::min(samples, dma_.size()));
      samples -= static_cast<std::size_t>(end - dma_.begin());
      sounded.insert(sounded.end(), dma_.begin(), end);
      dma_.erase(dma_.begin(), end);
      fill_dma();
    }
    sounded.insert(sounded.end(), samples, 0);
  }

 private:
  struct Taken {
    Span<const std::int16_t> buffer;
    std::vector<std::int16_t> as_given;
    std::size_t used;
  };
  void fill_dma() {
    while (dma_.size() < kDma && !queue_.empty()) {
      Taken& first = queue_.front();
      const auto next = first.buffer.begin() + first.used;
      const std::size_t count = std::min(kDma - dma_.size(), first.buffer.size() - first.used);
      dma_.insert(dma_.end(), next, next + count);
      first.used += count;
      if (first.used == first.buffer.size()) queue_.pop_front();
    }
  }
  void check() {
    for (const Taken& taken : queue_) {
      const std::int16_t* const given = taken.as_given.data();
      if (!std::equal(given, given + taken.as_given.size(), taken.buffer.begin())) {
        bench_.blame("somebody wrote to a buffer that the speaker held");
      }
    }
  }
  SoundBench& bench_;
  std::deque<Taken> queue_;
  std::vector<std::int16_t> dma_;
  bool was_silenced_ = false;
};

}  // namespace lobug
