#include "lobug/audio/beep.h"

#include <algorithm>

namespace lobug {
namespace {

constexpr std::uint32_t kTone = 120 * kSampleRate / 1000;   // samples
constexpr std::uint32_t kFade = 10 * kSampleRate / 1000;    // of them at each end
constexpr std::uint32_t kPause = 100 * kSampleRate / 1000;  // between two tones
constexpr std::uint32_t kMostTimes = 20;
constexpr float kAmplitude = 8000.0F;  // -12 dBFS: there is room for speech below it
// x[n] = 2 cos(w) x[n-1] - x[n-2] is a sine; 1 kHz at 16 kHz advances by pi/8 per sample.
constexpr float kTwiceCosine = 1.84775907F;
constexpr float kSine = 0.38268343F;

std::int16_t bounded(float value) {
  return static_cast<std::int16_t>(std::min(32767.0F, std::max(-32768.0F, value)));
}

}  // namespace

void Beep::add(std::uint8_t times) { times_ = std::min<std::uint32_t>(times_ + times, kMostTimes); }

void Beep::mix(Span<std::int16_t> samples) {
  for (std::int16_t& sample : samples) {
    if (times_ == 0) return;
    if (position_ == 0) {
      before_ = -kSine;
      last_ = 0.0F;
    }
    if (position_ < kTone) {
      const std::uint32_t edge = std::min(position_, kTone - 1 - position_);
      const float fade = edge < kFade ? static_cast<float>(edge) / static_cast<float>(kFade) : 1.0F;
      sample = bounded(static_cast<float>(sample) + last_ * fade * kAmplitude);
      const float next = kTwiceCosine * last_ - before_;
      before_ = last_;
      last_ = next;
    }
    ++position_;
    // No pause follows the last tone.
    if (position_ >= (times_ > 1 ? kTone + kPause : kTone)) {
      position_ = 0;
      --times_;
    }
  }
}

}  // namespace lobug
