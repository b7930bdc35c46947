#include "lobug/body/body.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include "lobug/sentences.h"
#include "support/scripted_body.h"
#include "support/scripted_random.h"

using namespace lobug;
using lobug::test::ScriptedBody;
using Kind = ScriptedBody::Order::Kind;
using S = DeviceState;

namespace {

struct BodyRig {
  ScriptedBody port;
  ScriptedRandom random;
  Body body{port, random};
  BodyKind kind;
  Calibration calibration;
  BodyInputs inputs;
  Millis now = 1000;
  std::vector<Attitude> way;

  /// One that has woken and settled.
  explicit BodyRig(BodyKind kind_ = BodyKind::kPortA) : kind(kind_) {
    port.base = kind_ == BodyKind::kStackChan || kind_ == BodyKind::kAuto;
    inputs.state = S::kIdle;
    run(3000);
    way.clear();
  }
  void run(Millis ms) {
    for (Millis passed = 0; passed < ms; passed += 10) {
      now += 10;
      body.use(kind, calibration);
      body.step(inputs, now);
      way.push_back(at());
    }
  }
  void enter(S state, Millis ms = 0) {
    inputs.state = state;
    inputs.microphone = state == S::kListening;
    run(ms);
  }
  Attitude at() const { return body.view(now).at; }
  bool powered() const { return body.view(now).powered; }
  /// How far the head has gone from straight ahead since the way began.
  int most(Axis axis) const {
    int found = 0;
    for (const Attitude& place : way) {
      const int away = std::abs(angle_of(place, axis) - angle_of(Body::kAhead, axis));
      if (away > found) found = away;
    }
    return found;
  }
};

}  // namespace

TEST_CASE("a body is what the owner has set, or the base that was found") {
  struct Case {
    BodyKind set;
    bool base;
    BodyKind is;
  };
  for (const Case& c :
       {Case{BodyKind::kAuto, true, BodyKind::kStackChan},
        Case{BodyKind::kAuto, false, BodyKind::kNone}, Case{BodyKind::kNone, true, BodyKind::kNone},
        Case{BodyKind::kPortC, false, BodyKind::kPortC}}) {
    ScriptedBody port;
    port.base = c.base;
    ScriptedRandom random;
    Body body(port, random);
    body.use(c.set, {});
    CHECK(body.view(0).kind == c.is);
    CHECK(body.exists() == (c.is != BodyKind::kNone));
    CHECK(port.opened == c.is);
    body.use(BodyKind::kNone, {});
    CHECK_FALSE(body.exists());
    CHECK(port.opened == BodyKind::kNone);
  }
}

TEST_CASE("a board without such pins has no body") {
  ScriptedBody port;
  port.has_pins = false;
  ScriptedRandom random;
  Body body(port, random);
  body.use(BodyKind::kM5Bus, {});
  CHECK_FALSE(body.exists());
  CHECK(body.look(10, 0, 0) == sentences::kNoBody);
  CHECK(body.perform(Deed::kNod, 1) == sentences::kNoBody);
}

TEST_CASE("it lifts its head when it is ready for the first time, and lets go") {
  ScriptedBody port;
  port.base = true;
  BodyRig rig(BodyKind::kAuto);
  CHECK(rig.at() == Body::kAhead);
  CHECK_FALSE(rig.powered());
  CHECK_FALSE(rig.port.supplied);
}

TEST_CASE("before it has a server it does not move") {
  ScriptedBody port;
  ScriptedRandom random;
  Body body(port, random);
  body.use(BodyKind::kPortA, {});
  BodyInputs inputs;
  Millis now = 0;
  for (const S state : {S::kStarting, S::kSetup, S::kJoining, S::kFinding, S::kPairing}) {
    inputs.state = state;
    for (int step = 0; step < 3000; ++step) body.step(inputs, now += 10);
  }
  CHECK(port.orders.empty());
}

TEST_CASE("a conversation: still while it listens, a nod for words, a feeling while it speaks") {
  BodyRig rig;
  rig.enter(S::kListening, 3000);
  CHECK(rig.at() == Body::kAhead);
  CHECK_FALSE(rig.powered());
  rig.enter(S::kThinking, 200);
  CHECK(rig.at() == Body::kAhead);  // nothing has been understood yet
  rig.way.clear();
  rig.inputs.heard = true;
  rig.run(900);
  CHECK(rig.most(Axis::kPitch) >= 50);
  CHECK(rig.most(Axis::kYaw) == 0);
  CHECK(rig.at() == Body::kAhead);
  rig.run(2500);
  CHECK(rig.at() != Body::kAhead);  // it looks up, thinking
  rig.inputs.emotion = Emotion::kSad;
  rig.enter(S::kSpeaking, 1800);
  CHECK(rig.at().pitch == 50);  // as low as it may
  rig.way.clear();
  rig.run(12000);
  CHECK(rig.most(Axis::kYaw) > 40);  // it sways a little
  rig.enter(S::kIdle, 1500);
  CHECK(rig.at() == Body::kAhead);
  CHECK_FALSE(rig.powered());
}

TEST_CASE("an emotion is felt once, when the reply begins") {
  BodyRig rig;
  rig.enter(S::kThinking, 300);
  rig.inputs.emotion = Emotion::kSurprised;
  rig.run(500);
  CHECK(rig.at() == Body::kAhead);
  rig.inputs.posing = true;  // unless a tool asked for it
  rig.inputs.emotion = Emotion::kShocked;
  rig.run(400);
  CHECK(rig.at().pitch > Body::kAhead.pitch + 100);
}

TEST_CASE("when the microphone opens it holds still at once, and goes on afterwards") {
  BodyRig rig;
  CHECK(rig.body.perform(Deed::kDance, 5).empty());
  rig.run(900);
  CHECK(rig.at() != Body::kAhead);
  rig.inputs.microphone = true;
  rig.run(20);
  const Attitude there = rig.at();
  rig.run(5000);
  CHECK(rig.at() == there);
  CHECK_FALSE(rig.powered());
  rig.inputs.microphone = false;
  rig.run(2000);
  CHECK(rig.at() == Body::kAhead);
}

TEST_CASE("a self-test is not shaken") {
  BodyRig rig;
  rig.inputs.measuring = true;
  rig.run(10);
  CHECK(rig.body.perform(Deed::kNod, 1).empty());
  rig.way.clear();
  rig.run(30000);
  CHECK(rig.most(Axis::kPitch) == 0);
  rig.inputs.measuring = false;
  rig.run(1000);
  CHECK(rig.most(Axis::kPitch) > 50);  // what was asked for has waited
}

TEST_CASE("idle it glances about now and then, and not once it is dim") {
  BodyRig rig;
  rig.run(60000);
  CHECK(rig.most(Axis::kYaw) > 0);
  CHECK(rig.most(Axis::kYaw) <= 90);
  CHECK(rig.most(Axis::kPitch) <= 30);
  std::size_t strong = 0;
  for (int step = 0; step < 3000; ++step) {
    rig.run(10);
    if (rig.powered()) ++strong;
  }
  CHECK(strong < 1500);  // its servos are off most of the time
  rig.inputs.power = PowerState::kDim;
  rig.run(3000);
  const std::size_t orders = rig.port.orders.size();
  rig.run(120000);
  CHECK(rig.port.orders.size() == orders);
}

TEST_CASE("in the dark its head sinks and is let go; light lifts it again") {
  BodyRig rig(BodyKind::kStackChan);
  rig.inputs.power = PowerState::kDark;
  rig.run(4000);
  CHECK(rig.at() == Body::kRest);
  CHECK_FALSE(rig.port.supplied);
  rig.inputs.power = PowerState::kAwake;
  rig.run(4000);
  CHECK(rig.at() == Body::kAhead);
}

TEST_CASE("with a low battery, while it says goodbye and while it updates, nothing moves") {
  for (int why = 0; why < 3; ++why) {
    BodyRig rig(BodyKind::kStackChan);
    CHECK(rig.body.perform(Deed::kDance, 5).empty());
    rig.run(1200);
    CHECK(rig.port.supplied);
    if (why == 0) rig.inputs.battery_low = true;
    if (why == 1) rig.inputs.power = PowerState::kFarewell;
    if (why == 2) rig.inputs.state = S::kUpdating;
    rig.run(10);
    CHECK_FALSE(rig.port.supplied);
    CHECK(rig.body.view(rig.now).off);
    CHECK(rig.body.look(40, 0, rig.now) == sentences::kBodyOff);
    CHECK(rig.body.perform(Deed::kNod, 1) == sentences::kBodyOff);
    rig.body.begin_calibration(rig.now);
    const std::size_t orders = rig.port.orders.size();
    rig.run(60000);
    CHECK(rig.port.orders.size() == orders);
    rig.inputs = BodyInputs();
    rig.inputs.state = S::kIdle;
    rig.run(10);
    CHECK(rig.body.look(40, 0, rig.now).empty());
  }
}

TEST_CASE("it looks where it is told to, for a while") {
  BodyRig rig(BodyKind::kStackChan);
  CHECK(rig.body.look(-40, 0, rig.now).empty());
  rig.run(2500);
  CHECK(rig.at() == Attitude{-400, 100});
  CHECK(rig.body.look(0, 60, rig.now).empty());
  rig.run(2500);
  CHECK(rig.at() == Attitude{0, 700});
  CHECK(rig.body.perform(Deed::kShake, 1).empty());
  rig.run(2500);
  CHECK(rig.at() == Attitude{0, 700});  // a gesture starts from there
  rig.run(Body::kGazeMs);
  CHECK(rig.at().pitch < 200);
}

TEST_CASE("a gesture is repeated as often as it was asked for") {
  for (const int times : {1, 3}) {
    BodyRig rig;
    CHECK(rig.body.perform(Deed::kNod, static_cast<std::uint8_t>(times)).empty());
    rig.run(900 * static_cast<Millis>(times) + 600);
    int tops = 0;
    for (std::size_t place = 1; place + 1 < rig.way.size(); ++place) {
      const int pitch = rig.way[place].pitch;
      const bool high = pitch >= Body::kAhead.pitch + 110;
      if (high && rig.way[place - 1].pitch < Body::kAhead.pitch + 110) ++tops;
    }
    CHECK(tops == times);
  }
}

TEST_CASE("a hand on its head is liked, once") {
  BodyRig rig(BodyKind::kStackChan);
  rig.port.hand = 0x05;
  rig.run(1500);
  rig.port.hand = 0;
  CHECK(rig.most(Axis::kYaw) >= 80);
  CHECK(rig.body.take_petting());
  CHECK_FALSE(rig.body.take_petting());
  rig.run(3000);
  CHECK(rig.at() == Body::kAhead);
  BodyRig hobby;
  hobby.port.hand = 0x05;
  hobby.run(1500);
  CHECK_FALSE(hobby.body.take_petting());  // it has no such sensor
}

TEST_CASE("its own movements are no knocks, and those of others are") {
  BodyRig rig;
  Motion motion;
  motion.taps = 3;
  CHECK(rig.body.felt(motion, rig.now).taps == 3);
  CHECK(rig.body.perform(Deed::kNod, 1).empty());
  rig.run(300);
  motion.taps = 5;
  motion.moving = motion.shaking = true;
  CHECK(rig.body.felt(motion, rig.now).taps == 3);
  CHECK_FALSE(rig.body.felt(motion, rig.now).moving);
  CHECK_FALSE(rig.body.felt(motion, rig.now).shaking);
  rig.run(1000 + Body::kSettleMs);
  CHECK(rig.body.felt(motion, rig.now).moving);
  motion.taps = 6;
  CHECK(rig.body.felt(motion, rig.now).taps == 4);
}

TEST_CASE("calibration: it looks ahead, strong and still, for a minute after the last touch") {
  BodyRig rig;
  rig.body.begin_calibration(rig.now);
  rig.way.clear();
  rig.run(50000);
  CHECK(rig.powered());
  CHECK(rig.most(Axis::kYaw) == 0);
  const int before = rig.port.values(Kind::kPulse, 0).back();
  rig.calibration.offset.yaw = 50;
  rig.body.begin_calibration(rig.now);
  rig.run(40);
  CHECK(rig.port.values(Kind::kPulse, 0).back() == before - 52);
  CHECK(rig.at() == Body::kAhead);  // what it takes for straight ahead
  rig.run(Body::kCalibrateMs - 1000);
  CHECK(rig.powered());
  rig.run(3000);
  CHECK_FALSE(rig.powered());
  rig.body.begin_calibration(rig.now);
  rig.run(2000);
  CHECK(rig.powered());
  rig.body.end_calibration();
  rig.run(HeadDrive::kHoldMs + 40);
  CHECK_FALSE(rig.powered());
}

TEST_CASE("servos that do not answer are told of, and tried again") {
  BodyRig rig(BodyKind::kStackChan);
  rig.port.dead = true;
  CHECK(rig.body.perform(Deed::kNod, 1).empty());  // nobody knows yet
  rig.run(1500);
  CHECK(rig.body.view(rig.now).silent);
  CHECK(rig.body.perform(Deed::kNod, 1) == sentences::kBodySilent);
  rig.port.dead = false;
  rig.run(30000);  // a glance has found them again
  CHECK_FALSE(rig.body.view(rig.now).silent);
  CHECK(rig.body.perform(Deed::kNod, 1).empty());
}
