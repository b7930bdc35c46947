#include "lobug/audio/level.h"

#include <algorithm>
#include <cmath>

namespace lobug {
namespace {

// Voice is what is louder than the floor by this factor, and louder than this at all (rms).
constexpr std::uint32_t kOverFloor = 3;
constexpr std::uint32_t kFaintest = 120;
// If the microphone opens in the middle of a word, the word must not become the noise floor.
constexpr std::uint32_t kHighestFirstFloor = 200;
// Frames for which voice is held through the gaps between syllables.
constexpr std::uint16_t kHangFrames = 12;

std::uint32_t rms_of(Span<const std::int16_t> samples) {
  if (samples.empty()) return 0;
  std::uint64_t sum = 0;
  for (const std::int32_t sample : samples) sum += static_cast<std::uint32_t>(sample * sample);
  return static_cast<std::uint32_t>(
      std::sqrt(static_cast<float>(sum) / static_cast<float>(samples.size())));
}

}  // namespace

std::uint8_t loudness(Span<const std::int16_t> samples) {
  constexpr float kQuiet = -60.0F;
  constexpr float kLoud = -6.0F;
  const std::uint32_t rms = rms_of(samples);
  if (rms == 0) return 0;
  const float dbfs = 20.0F * std::log10(static_cast<float>(rms) / 32768.0F);
  const float scaled = (dbfs - kQuiet) / (kLoud - kQuiet) * 255.0F;
  return static_cast<std::uint8_t>(std::min(255.0F, std::max(0.0F, scaled)));
}

bool VoiceActivity::update(Span<const std::int16_t> samples) {
  // The floor is kept in 1/16 of a sample's unit: it creeps by less than one a frame.
  const std::uint32_t rms = std::max<std::uint32_t>(rms_of(samples), 1);
  const std::uint32_t fine = rms * 16;
  if (floor_ == 0) floor_ = std::min(fine, kHighestFirstFloor * 16);
  const bool loud = rms > kFaintest && fine > floor_ * kOverFloor;

  // Down at once with every pause; up slowly, slower still while somebody seems to speak: the noise
  // of a fan that was switched on is the new floor after some seconds, a long sentence is not.
  if (fine < floor_) {
    floor_ -= (floor_ - fine + 3) / 4;
  } else {
    floor_ += std::min(floor_ / (loud ? 256 : 32) + 1, fine - floor_);
  }

  if (loud) {
    hang_ = kHangFrames;
  } else if (hang_ > 0) {
    --hang_;
  }
  voice_ = hang_ > 0;
  return voice_;
}

void VoiceActivity::reset() { *this = VoiceActivity(); }

}  // namespace lobug
