#include "lobug/selftest/self_test.h"

#include <algorithm>
#include <cmath>

#include "lobug/audio/format.h"

namespace lobug {
namespace {

constexpr std::int16_t kEndOfScale = 32700;
constexpr std::int16_t kSilence = -96;  // dBFS: less than one step of 16 bits

std::uint16_t bounded_ms(Millis ms) {
  return static_cast<std::uint16_t>(std::min<Millis>(ms, 0xFFFF));
}

}  // namespace

void SelfTest::begin(const Motion& motion, Millis now) {
  ++state_.run;
  state_.phase = SelfTestState::Phase::kRunning;
  state_.measured = Measurements();
  wanted_before_ = audio_.wanted.load();
  began_at_ = now;
  frames_at_begin_ = screen_.frames.load();
  readings_at_begin_ = motion.readings;
  enter(Step::kBefore, now);
}

void SelfTest::refuse() {
  ++state_.run;
  state_.phase = SelfTestState::Phase::kRefused;
}

void SelfTest::stop(bool release) {
  if (release) audio_.wanted = AudioMode::kOff;
  state_.phase = SelfTestState::Phase::kStopped;
}

void SelfTest::enter(Step step, Millis now) {
  step_ = step;
  step_at_ = now;
  opened_ = false;
  switch (step) {
    case Step::kBefore:
    case Step::kToMicrophone:
      audio_.uplink.drop(audio_.uplink.size());
      audio_.wanted = AudioMode::kListen;
      break;
    case Step::kToSpeaker:
      // Not wanted any more: else the tone would wait until nobody speaks.
      audio_.wanted = AudioMode::kOff;
      audio_.beeps = kTones;
      break;
    case Step::kClosing:
      audio_.wanted = AudioMode::kOff;
      break;
    case Step::kTone:
    case Step::kAfter:
      break;
  }
  samples_ = at_the_end_ = 0;
  sum_ = 0;
  squares_ = 0;
}

void SelfTest::step(const View& view, const Motion& motion, Millis now) {
  const AudioMode mode = audio_.actual.load();
  const bool late = elapsed(step_at_, now) >= (step_ == Step::kTone ? kToneMs : kOpenMs);
  switch (step_) {
    case Step::kBefore:
      opened_ = opened_ || mode == AudioMode::kListen;
      if (opened_ && listen()) {
        state_.measured.before = level();
        enter(Step::kToSpeaker, now);
      } else if (late) {
        enter(Step::kToSpeaker, now);
      }
      break;
    case Step::kToSpeaker:
      if (mode == AudioMode::kPlay) {
        state_.measured.to_speaker_ms = bounded_ms(elapsed(step_at_, now));
        enter(Step::kTone, now);
      } else if (late) {
        enter(Step::kToMicrophone, now);
      }
      break;
    case Step::kTone:
      if (mode != AudioMode::kPlay || late) enter(Step::kToMicrophone, now);
      break;
    case Step::kToMicrophone:
      if (mode == AudioMode::kListen) {
        state_.measured.to_microphone_ms = bounded_ms(elapsed(step_at_, now));
        enter(Step::kAfter, now);
      } else if (late) {
        enter(Step::kClosing, now);
      }
      break;
    case Step::kAfter:
      if (listen()) {
        state_.measured.after = level();
        enter(Step::kClosing, now);
      } else if (late) {
        enter(Step::kClosing, now);
      }
      break;
    case Step::kClosing:
      if (mode == AudioMode::kOff || late) finish(view, motion, now);
      break;
  }
}

bool SelfTest::listen() {
  while (samples_ < samples_of(kListenMs)) {
    const std::size_t count = audio_.uplink.read({piece_.data(), piece_.size()});
    if (count == 0) return false;
    for (std::size_t at = 0; at < count; ++at) {
      const std::int16_t sample = piece_[at];
      least_ = samples_ == 0 ? sample : std::min(least_, sample);
      most_ = samples_ == 0 ? sample : std::max(most_, sample);
      sum_ += sample;
      squares_ += static_cast<std::uint64_t>(static_cast<std::int32_t>(sample) * sample);
      if (sample >= kEndOfScale || sample <= -kEndOfScale) ++at_the_end_;
      ++samples_;
    }
  }
  return true;
}

HeardLevel SelfTest::level() const {
  HeardLevel level;
  const auto count = static_cast<float>(samples_);
  const float offset = static_cast<float>(sum_) / count;
  const float power = static_cast<float>(squares_) / count - offset * offset;
  level.dead = least_ == most_;
  level.clipped = at_the_end_ * 100 > samples_;
  level.dbfs = kSilence;
  if (power > 0.0F) {
    const float dbfs = 10.0F * std::log10(power / (32768.0F * 32768.0F));
    level.dbfs = std::max(kSilence, static_cast<std::int16_t>(std::lround(dbfs)));
  }
  return level;
}

void SelfTest::finish(const View& view, const Motion& motion, Millis now) {
  Measurements& m = state_.measured;
  const std::uint32_t frames = screen_.frames.load();
  const Millis took = std::max<Millis>(1, elapsed(began_at_, now));
  if (frames > 0) {
    m.frames_per_s = static_cast<std::uint16_t>((frames - frames_at_begin_) * 1000U / took);
  }
  m.touches = screen_.touches.load();
  m.motion_readings = motion.readings - readings_at_begin_;
  const MotionSample& felt = motion.sample;
  const float square =
      felt.accel_x * felt.accel_x + felt.accel_y * felt.accel_y + felt.accel_z * felt.accel_z;
  m.gravity_mg = static_cast<std::int32_t>(std::lround(std::sqrt(square) * 1000.0F));
  if (view.battery_known) m.battery = view.battery;
  m.charging = view.charging;
  m.wifi = view.wifi;
  if (view.wifi && view.wifi_dbm > -127) m.wifi_dbm = view.wifi_dbm;
  m.psram = vitals_.check_psram();
  m.memory = vitals_.memory();
  m.stacks = vitals_.stacks();
  m.store_encrypted = vitals_.store_encrypted();
  audio_.uplink.drop(audio_.uplink.size());
  audio_.wanted = wanted_before_;
  state_.phase = SelfTestState::Phase::kDone;
}

}  // namespace lobug
