// The self-test's procedure: what is measured in which order, by the device's thread.
#pragma once

#include <array>
#include <cstdint>

#include "lobug/audio/audio_link.h"
#include "lobug/base/clock.h"
#include "lobug/device/screen_link.h"
#include "lobug/ports/vitals.h"
#include "lobug/selftest/measurements.h"

namespace lobug {

/// Opens the microphone, sounds a tone, opens the microphone again; meanwhile pictures and readings
/// of the motion sensor are counted. Nobody may talk with the device meanwhile.
class SelfTest {
 public:
  static constexpr Millis kOpenMs = 2000;   ///< for microphone or speaker to open
  static constexpr Millis kToneMs = 3000;   ///< for the tone to end
  static constexpr Millis kListenMs = 500;  ///< of sound to be measured
  static constexpr std::uint8_t kTones = 1;

  SelfTest(Vitals& vitals, AudioLink& audio, const ScreenLink& screen)
      : vitals_(vitals), audio_(audio), screen_(screen) {}

  bool running() const { return state_.phase == SelfTestState::Phase::kRunning; }
  const SelfTestState& state() const { return state_; }

  void begin(const Motion& motion, Millis now);
  /// Somebody talks with the device: it cannot begin.
  void refuse();
  /// Something else needs microphone or speaker. `release`: nothing else has asked for them yet.
  void stop(bool release);
  void step(const View& view, const Motion& motion, Millis now);

 private:
  enum class Step : std::uint8_t { kBefore, kToSpeaker, kTone, kToMicrophone, kAfter, kClosing };

  void enter(Step step, Millis now);
  /// Measures what the microphone hears; true when that is enough.
  bool listen();
  HeardLevel level() const;
  void finish(const View& view, const Motion& motion, Millis now);

  Vitals& vitals_;
  AudioLink& audio_;
  const ScreenLink& screen_;
  SelfTestState state_;
  Step step_ = Step::kBefore;
  AudioMode wanted_before_ = AudioMode::kOff;
  Millis began_at_ = 0;
  Millis step_at_ = 0;
  bool opened_ = false;
  std::uint32_t frames_at_begin_ = 0;
  std::uint32_t readings_at_begin_ = 0;

  // Of what the microphone hears.
  std::uint32_t samples_ = 0;
  std::int64_t sum_ = 0;
  std::uint64_t squares_ = 0;
  std::uint32_t at_the_end_ = 0;  // of the scale
  std::int16_t least_ = 0, most_ = 0;
  std::array<std::int16_t, 320> piece_{};
};

}  // namespace lobug
