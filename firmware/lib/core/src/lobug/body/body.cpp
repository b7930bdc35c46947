#include "lobug/body/body.h"

#include "lobug/sentences.h"

namespace lobug {
namespace {

// Tenths of a degree either way.
constexpr int kGlanceYaw = 90;
constexpr int kGlancePitch = 30;
constexpr int kSwayYaw = 40;
constexpr int kSwayPitch = 25;
constexpr Millis kGlanceMoveMs = 700;
constexpr Millis kSwayMs = 1600;  // between two of them, and up to as much again

Attitude sum(const Attitude& left, const Attitude& right) {
  return {static_cast<std::int16_t>(left.yaw + right.yaw),
          static_cast<std::int16_t>(left.pitch + right.pitch)};
}

bool must_be_off(const BodyInputs& inputs) {
  return inputs.battery_low || inputs.power == PowerState::kFarewell ||
         inputs.power == PowerState::kSwitchedOff || inputs.state == DeviceState::kUpdating;
}

}  // namespace

Body::Body(BodyPort& port, Random& random)
    : port_(port), random_(random), hobby_(port), bus_(port) {}

void Body::use(BodyKind kind, const Calibration& calibration) {
  if (calibration != calibration_) {
    calibration_ = calibration;
    hobby_.calibrate(calibration);
    bus_.calibrate(calibration);
    drive_.renew();
  }
  if (kind == wanted_) return;
  wanted_ = kind;
  stop();
  drive_.use(nullptr, {});
  if (kind_ != BodyKind::kNone) port_.close();
  kind_ =
      kind == BodyKind::kAuto ? (port_.has_base() ? BodyKind::kStackChan : BodyKind::kNone) : kind;
  begun_ = false;
  if (kind_ == BodyKind::kNone) return;
  if (!port_.open(kind_)) {
    kind_ = BodyKind::kNone;
    return;
  }
  Servos* servos = &hobby_;
  if (kind_ == BodyKind::kStackChan) servos = &bus_;
  drive_.use(servos, reach_of(kind_));
}

void Body::step(const BodyInputs& inputs, Millis now) {
  if (!exists()) return;
  off_ = must_be_off(inputs);
  if (off_) {
    stop();
    calibrate_.clear();
    drive_.let_go();
    now_is_ = inputs;
    return;
  }
  if (calibrate_.due(now)) end_calibration();
  if (gaze_until_.due(now)) {
    gaze_until_.clear();
    gaze_ = kAhead;
    if (inputs.state == DeviceState::kIdle) play(Deed::kAhead);
  }
  feel_hand(now);
  // The microphone hears its servos better than it hears people.
  const bool quiet = inputs.microphone || inputs.measuring;
  if (quiet && !was_quiet_) stop();
  follow(inputs, now);
  if (was_quiet_ && !quiet && playing_.empty()) play(Deed::kAhead);
  was_quiet_ = quiet;
  now_is_ = inputs;
  if (!quiet) {
    advance(now);
    live(now);
  }
  if (!drive_.step(calibrate_.is_set() && !quiet, now)) stop();
  if (drive_.moving()) settles_.set(now, kSettleMs);
  if (settles_.due(now)) settles_.clear();
}

/// What has changed since the last step.
void Body::follow(const BodyInputs& inputs, Millis now) {
  if (calibrate_.is_set()) return;
  if (!begun_ && inputs.state == DeviceState::kIdle) {
    begun_ = true;
    play(Deed::kWake);
  }
  if (!begun_) return;
  follow_power(inputs.power, now);
  const bool entered = inputs.state != now_is_.state;
  if (entered && inputs.state == DeviceState::kThinking) {
    unanswered_ = true;
    think_.set(now, kThinkMs);
  }
  if (entered && now_is_.state == DeviceState::kThinking) {
    unanswered_ = false;
    think_.clear();
  }
  if (unanswered_ && inputs.heard) {
    unanswered_ = false;
    play(Deed::kHeard);
  }
  if (think_.due(now) && playing_.empty()) {
    think_.clear();
    play(movement_of(Emotion::kThinking));
  }
  const bool speaks = inputs.state == DeviceState::kSpeaking;
  // What the server has said of a reply counts when that is spoken.
  const bool feels = speaks || inputs.posing;
  if ((speaks && entered) || (feels && inputs.emotion != now_is_.emotion)) {
    play(movement_of(inputs.emotion));
  } else if (entered && now_is_.state == DeviceState::kSpeaking) {
    play(Deed::kAhead);
  }
}

void Body::follow_power(PowerState power, Millis now) {
  const bool dark = power == PowerState::kDark;
  const bool was_dark = now_is_.power == PowerState::kDark;
  if (dark && !was_dark) play(Deed::kSink);
  if (!dark && was_dark && playing_.empty()) play(Deed::kWake);
  if (power != now_is_.power) rest_a_while(now);
}

void Body::rest_a_while(Millis now) {
  glance_.set(now, (kGlanceS + random_.next() % (2 * kGlanceS)) * 1000);
}

void Body::feel_hand(Millis now) {
  if (kind_ != BodyKind::kStackChan || (feel_.is_set() && !feel_.due(now))) return;
  feel_.set(now, HeadTouch::kEveryMs);
  if (!touch_.update(port_.head_touch(), now)) return;
  petted_ = true;
  if (!calibrate_.is_set()) play(Deed::kPetted);
}

bool Body::take_petting() {
  const bool petted = petted_;
  petted_ = false;
  return petted;
}

void Body::play(Movement movement, std::uint8_t times) {
  playing_ = movement;
  times_ = times;
  frame_ = 0;
  on_its_way_ = false;
  rest_.clear();
}

void Body::stop() {
  playing_ = Movement();
  rest_.clear();
  drive_.halt();
}

/// The movement goes on.
void Body::advance(Millis now) {
  if (playing_.empty()) return;
  const Keyframe& frame = playing_[frame_];
  if (!on_its_way_) {
    on_its_way_ = true;
    rest_.clear();
    pose_ = frame.from_gaze;
    drive_.go(aim(), frame.move_ms);
    return;
  }
  if (drive_.moving()) return;
  if (!rest_.is_set()) rest_.set(now, frame.rest_ms);
  if (!rest_.due(now)) return;
  on_its_way_ = false;
  if (++frame_ < playing_.size()) return;
  frame_ = 0;
  if (times_ > 1) {
    --times_;
    return;
  }
  playing_ = Movement();
  rest_a_while(now);
}

/// Small movements by itself while nothing else is to be done.
void Body::live(Millis now) {
  if (!begun_ || !playing_.empty() || drive_.moving() || calibrate_.is_set()) return;
  const bool speaks = now_is_.state == DeviceState::kSpeaking;
  const bool idles = now_is_.state == DeviceState::kIdle && now_is_.power == PowerState::kAwake;
  if (!speaks && !idles) return;
  if (!glance_.is_set()) rest_a_while(now);
  if (speaks && glance_.left(now) > 2 * kSwayMs) {
    glance_.set(now, kSwayMs + random_.next() % kSwayMs);
  }
  if (!glance_.due(now)) return;
  rest_a_while(now);
  if (speaks) {
    glance(kSwayYaw, kSwayPitch);
  } else {
    glance(kGlanceYaw, kGlancePitch);
  }
}

void Body::glance(int yaw, int pitch) {
  drive_.go(sum(aim(), {random_angle(yaw), random_angle(pitch)}), kGlanceMoveMs);
}

std::int16_t Body::random_angle(int most) {
  const auto span = static_cast<std::uint32_t>(2 * most + 1);
  return static_cast<std::int16_t>(static_cast<int>(random_.next() % span) - most);
}

Attitude Body::aim() const { return sum(gaze_, pose_); }

BodyView Body::view(Millis now) const {
  BodyView view;
  view.kind = kind_;
  view.at = drive_.at();
  view.powered = drive_.powered();
  view.off = off_;
  view.silent = drive_.silent();
  view.moves = settles_.is_set() && !settles_.due(now);
  view.calibration = calibration_;
  return view;
}

Motion Body::felt(const Motion& motion, Millis now) {
  Motion felt = motion;
  if (settles_.is_set() && !settles_.due(now)) {
    own_taps_ += motion.taps - taps_;
    felt.moving = felt.shaking = false;
  }
  taps_ = motion.taps;
  felt.taps = motion.taps - own_taps_;
  return felt;
}

std::string_view Body::refusal() const {
  if (!exists()) return sentences::kNoBody;
  if (off_) return sentences::kBodyOff;
  return drive_.silent() ? sentences::kBodySilent : "";
}

std::string_view Body::look(int yaw, int pitch, Millis now) {
  const std::string_view why = refusal();
  if (!why.empty()) return why;
  gaze_ = sum(kAhead, {static_cast<std::int16_t>(yaw * 10), static_cast<std::int16_t>(pitch * 10)});
  gaze_until_.set(now, kGazeMs);
  play(Deed::kAhead);
  return {};
}

std::string_view Body::perform(Deed deed, std::uint8_t times) {
  const std::string_view why = refusal();
  if (why.empty()) play(movement_of(deed), times);
  return why;
}

void Body::begin_calibration(Millis now) {
  if (!exists() || off_) return;
  calibrate_.set(now, kCalibrateMs);
  gaze_ = kAhead;
  gaze_until_.clear();
  play(Deed::kAhead);
}

void Body::end_calibration() { calibrate_.clear(); }

}  // namespace lobug
