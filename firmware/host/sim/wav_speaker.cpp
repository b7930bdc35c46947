#include "wav_speaker.h"

#include <algorithm>
#include <utility>

#include "lobug/audio/format.h"

namespace lobug::sim {
namespace {

constexpr std::size_t kMostHeld = 2;
constexpr std::int64_t kShortestGapUs = 43'000;
constexpr std::int64_t kLongestGapUs = 1'000'000;

}  // namespace

std::int64_t WavSpeaker::duration_us(std::size_t samples) {
  return static_cast<std::int64_t>(samples) * 1'000'000 / kSampleRate;
}

bool WavSpeaker::start() { return true; }

void WavSpeaker::stop() {
  const std::lock_guard<std::mutex> guard(lock_);
  advance();
  if (!held_.empty()) {
    held_.clear();
    fall_silent(now_us(), true);
  }
  pause_is_gap_ = false;
  closed_at_us_ = now_us();
}

bool WavSpeaker::play(Span<const std::int16_t> buffer) {
  const std::lock_guard<std::mutex> guard(lock_);
  advance();
  if (held_.size() >= kMostHeld) return false;
  Held next{buffer, {buffer.begin(), buffer.end()}, now_us()};
  if (!held_.empty()) {
    next.begins_us = held_.back().begins_us + duration_us(held_.back().buffer.size());
  }
  held_.push_back(std::move(next));
  if (sounding_) return true;
  sounding_ = true;
  const std::int64_t gap_us = now_us() - silent_since_us_;
  const bool gap = pause_is_gap_ && gap_us < kLongestGapUs;
  if (gap && gap_us > kShortestGapUs) ++counters_.gaps;
  log_.emit("sound", [&](json::Writer& json) {
    json.name("on").boolean(true).name("file_samples").number(file_.size());
    if (gap) json.name("gap_ms").number(gap_us / 1000);
  });
  return true;
}

std::size_t WavSpeaker::queued() const {
  const std::lock_guard<std::mutex> guard(lock_);
  const_cast<WavSpeaker*>(this)->advance();
  return held_.size();
}

void WavSpeaker::silence() {
  const std::lock_guard<std::mutex> guard(lock_);
  advance();
  if (held_.empty()) return;
  const std::int64_t elapsed_us = std::max<std::int64_t>(0, now_us() - held_.front().begins_us);
  const auto so_far = static_cast<std::size_t>(elapsed_us * kSampleRate / 1'000'000);
  sounded(held_.front(), std::min(so_far, held_.front().buffer.size()));
  held_.clear();
  fall_silent(now_us(), true);
}

void WavSpeaker::set_volume(std::uint8_t percent) {
  log_.emit("volume", [&](json::Writer& json) { json.name("percent").number(percent); });
}

WavSpeaker::Counters WavSpeaker::counters() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return counters_;
}

void WavSpeaker::advance() {
  const std::int64_t now = now_us();
  while (!held_.empty()) {
    const std::int64_t ends_us = held_.front().begins_us + duration_us(held_.front().buffer.size());
    if (ends_us > now) return;
    sounded(held_.front(), held_.front().buffer.size());
    held_.pop_front();
    if (held_.empty()) fall_silent(ends_us, false);
  }
}

void WavSpeaker::sounded(const Held& held, std::size_t samples) {
  const Span<const std::int16_t> part = held.buffer.first(samples);
  if (!std::equal(part.begin(), part.end(), held.as_given.begin())) ++counters_.torn;
  file_.append(part);
  counters_.played += static_cast<std::uint32_t>(samples);
}

void WavSpeaker::fall_silent(std::int64_t at_us, bool asked_for) {
  sounding_ = false;
  silent_since_us_ = at_us;
  pause_is_gap_ = !asked_for;
  log_.emit("sound", [&](json::Writer& json) {
    json.name("on").boolean(false).name("file_samples").number(file_.size());
  });
}

}  // namespace lobug::sim
