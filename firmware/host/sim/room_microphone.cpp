#include "room_microphone.h"

#include <algorithm>
#include <utility>

#include "lobug/audio/format.h"

namespace lobug::sim {
namespace {

constexpr std::size_t kMostBuffers = 2;
constexpr std::int64_t kDriverSamples = 1024;
constexpr std::int64_t kStartSamples = kSampleRate / 100;
constexpr std::int64_t kSpeakerSamples = kSampleRate / 10;
constexpr std::int16_t kRubbish = 0x5A5A;
constexpr std::int16_t kCrackle = 20000;
constexpr int kRoomNoise = 5;  // of 32,768

}  // namespace

std::int64_t RoomMicrophone::room_time() { return now_us() * kSampleRate / 1'000'000; }

bool RoomMicrophone::start() {
  const std::lock_guard<std::mutex> guard(lock_);
  if (broken_) return false;
  if (open_) return true;
  open_ = true;
  const std::int64_t opened = room_time();
  position_ = opened;
  const std::int64_t speaker_closed = speaker_.closed_at_us() * kSampleRate / 1'000'000;
  crackles_until_ = std::max(opened + kStartSamples, speaker_closed + kSpeakerSamples);
  filled_ = 0;
  begin_next(opened);
  return true;
}

void RoomMicrophone::stop() {
  const std::lock_guard<std::mutex> guard(lock_);
  buffers_.clear();
  filled_ = 0;
  open_ = false;
}

bool RoomMicrophone::record(Span<std::int16_t> buffer) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (!open_) return false;
  advance();
  if (buffers_.size() >= kMostBuffers) return false;
  std::fill(buffer.begin(), buffer.end(), kRubbish);
  buffers_.push_back(buffer);
  return true;
}

std::size_t RoomMicrophone::queued() const {
  const std::lock_guard<std::mutex> guard(lock_);
  if (open_) const_cast<RoomMicrophone*>(this)->advance();
  return buffers_.size();
}

void RoomMicrophone::say(std::string name, std::vector<std::int16_t> samples,
                         std::uint32_t delay_ms, bool at_once) {
  const std::lock_guard<std::mutex> guard(lock_);
  waiting_.push_back({std::move(name), std::move(samples), delay_ms, 0, false});
  if (at_once) {
    std::rotate(waiting_.rbegin(), waiting_.rbegin() + 1, waiting_.rend());
    begin_next(room_time());
  } else if (open_ && spoken_.empty()) {
    begin_next(room_time());
  }
}

void RoomMicrophone::set_broken(bool broken) {
  const std::lock_guard<std::mutex> guard(lock_);
  broken_ = broken;
}

void RoomMicrophone::set_dead(bool dead) {
  const std::lock_guard<std::mutex> guard(lock_);
  dead_ = dead;
}

std::uint32_t RoomMicrophone::lost() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return lost_;
}

void RoomMicrophone::begin_next(std::int64_t now) {
  if (waiting_.empty()) return;
  Speech next = std::move(waiting_.front());
  waiting_.pop_front();
  next.begins = now + static_cast<std::int64_t>(samples_of(next.delay_ms));
  spoken_.push_back(std::move(next));
}

void RoomMicrophone::advance() {
  const std::int64_t now = room_time();
  for (Speech& speech : spoken_) {
    if (speech.announced || speech.begins > now) continue;
    speech.announced = true;
    log_.emit("speech", [&](json::Writer& json) {
      json.name("name").text(speech.name).name("said").boolean(false);
    });
  }
  while (position_ < now && !buffers_.empty()) {
    const Span<std::int16_t> buffer = buffers_.front();
    // Into the buffer only once it is full: until then it holds rubbish.
    const std::size_t missing = buffer.size() - filled_;
    if (now - position_ < static_cast<std::int64_t>(missing)) break;
    for (std::size_t index = filled_; index < buffer.size(); ++index) {
      buffer[index] = sample_at(position_++);
    }
    filled_ = 0;
    buffers_.pop_front();
  }
  if (now - position_ > kDriverSamples && buffers_.empty()) {
    lost_ += static_cast<std::uint32_t>(now - position_ - kDriverSamples);
    position_ = now - kDriverSamples;
  }
  while (!spoken_.empty()) {
    const Speech& speech = spoken_.front();
    if (speech.begins + static_cast<std::int64_t>(speech.samples.size()) > now) break;
    log_.emit("speech", [&](json::Writer& json) {
      json.name("name").text(speech.name).name("said").boolean(true);
    });
    spoken_.pop_front();
  }
}

std::int16_t RoomMicrophone::sample_at(std::int64_t when) const {
  if (dead_) return 0;
  if (when < crackles_until_) return when % 16 < 8 ? kCrackle : -kCrackle;
  int sum = static_cast<int>((when * 2654435761) >> 7 & 0xFF) % (2 * kRoomNoise + 1) - kRoomNoise;
  for (const Speech& speech : spoken_) {
    const std::int64_t index = when - speech.begins;
    if (index >= 0 && index < static_cast<std::int64_t>(speech.samples.size())) {
      sum += speech.samples[static_cast<std::size_t>(index)];
    }
  }
  return static_cast<std::int16_t>(std::clamp(sum, -32768, 32767));
}

}  // namespace lobug::sim
