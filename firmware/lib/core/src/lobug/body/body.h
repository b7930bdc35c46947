// The life of a head on servos: what it does when the device listens, thinks, speaks, rests, is
// petted, or is asked to move.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/random.h"
#include "lobug/body/attitude.h"
#include "lobug/body/head_drive.h"
#include "lobug/body/head_touch.h"
#include "lobug/body/movements.h"
#include "lobug/body/servos.h"
#include "lobug/device/power.h"
#include "lobug/device/state_machine.h"
#include "lobug/face/emotion.h"
#include "lobug/ports/body.h"
#include "lobug/senses/motion.h"

namespace lobug {

/// What a body is fed with at every step.
struct BodyInputs {
  DeviceState state = DeviceState::kStarting;
  Emotion emotion = Emotion::kNeutral;  ///< that the face shows
  bool posing = false;                  ///< a tool asked for it
  bool heard = false;                   ///< there is a transcript of what was said
  bool microphone = false;              ///< open
  bool measuring = false;               ///< a self-test: nothing may shake or make noise
  PowerState power = PowerState::kAwake;
  bool battery_low = false;
};

/// What the screen and the owner are told of a body.
struct BodyView {
  BodyKind kind = BodyKind::kNone;  ///< never kAuto
  Attitude at;
  bool powered = false;  ///< its servos have their supply
  bool off = false;      ///< it may not move, to save power
  bool silent = false;   ///< its servos do not answer
  bool moves = false;    ///< or did a moment ago: the motion sensor feels that
  Calibration calibration;
};

class Body {
 public:
  /// Where it looks when nothing else is said: the device knows nobody's direction, since it has
  /// one microphone. A little up, where faces are.
  static constexpr Attitude kAhead{0, 100};
  static constexpr Attitude kRest{0, 50};        ///< a head without power lies there
  static constexpr Millis kGazeMs = 30000;       ///< it looks where it was told to for so long
  static constexpr Millis kSettleMs = 700;       ///< the motion sensor still feels its own movement
  static constexpr Millis kCalibrateMs = 60000;  ///< without a touch
  static constexpr Millis kThinkMs = 1500;       ///< then it looks up while it thinks
  static constexpr std::uint32_t kGlanceS = 6;  ///< seconds between idle glances, up to thrice that

  Body(BodyPort& port, Random& random);

  /// The owner's settings; to be called at every step.
  void use(BodyKind kind, const Calibration& calibration);
  void step(const BodyInputs& inputs, Millis now);

  bool exists() const { return kind_ != BodyKind::kNone; }
  BodyView view(Millis now) const;
  /// What the sensor felt of others: its own movements are taken out.
  Motion felt(const Motion& motion, Millis now);
  /// Once for each time that somebody has stroked its head.
  bool take_petting();

  // Tools. Empty, or why not: a sentence. While the microphone is open what was asked for waits.
  /// Looks there, degrees to its own right and up, from straight ahead.
  std::string_view look(int yaw, int pitch, Millis now);
  std::string_view perform(Deed deed, std::uint8_t times);

  /// Looks straight ahead and keeps still, so that the owner sees what is to be corrected.
  void begin_calibration(Millis now);
  void end_calibration();

 private:
  void follow(const BodyInputs& inputs, Millis now);
  void follow_power(PowerState power, Millis now);
  void rest_a_while(Millis now);
  void feel_hand(Millis now);
  void play(Movement movement, std::uint8_t times = 1);
  void play(Deed deed) { play(movement_of(deed)); }
  void stop();
  void advance(Millis now);
  void live(Millis now);
  void glance(int yaw, int pitch);
  std::int16_t random_angle(int most);
  std::string_view refusal() const;
  Attitude aim() const;

  BodyPort& port_;
  Random& random_;
  HobbyServos hobby_;
  BusServos bus_;
  HeadDrive drive_{kRest};
  HeadTouch touch_;
  BodyKind kind_ = BodyKind::kNone;
  BodyKind wanted_ = BodyKind::kNone;
  Calibration calibration_;

  BodyInputs now_is_;   ///< of the last step
  bool begun_ = false;  ///< it has lifted its head for the first time
  bool off_ = false;    ///< it must not move
  bool was_quiet_ = false;
  bool unanswered_ = false;  ///< words may have been heard, and it has not nodded yet
  bool petted_ = false;

  Attitude gaze_ = kAhead;
  Attitude pose_;  ///< added to it by the last movement
  Movement playing_;
  std::size_t frame_ = 0;
  bool on_its_way_ = false;  ///< to that keyframe
  std::uint8_t times_ = 0;   ///< that are left
  Deadline rest_;
  Deadline gaze_until_;
  Deadline glance_;
  Deadline think_;
  Deadline feel_;
  Deadline calibrate_;
  Deadline settles_;
  std::uint32_t taps_ = 0;      ///< that the sensor has told
  std::uint32_t own_taps_ = 0;  ///< of which it made so many itself
};

}  // namespace lobug
