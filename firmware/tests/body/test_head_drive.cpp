#include "lobug/body/head_drive.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "support/scripted_body.h"

using namespace lobug;
using lobug::test::ScriptedBody;
using Kind = ScriptedBody::Order::Kind;

namespace {

constexpr Attitude kRest{0, 50};

struct DriveRig {
  ScriptedBody port;
  HobbyServos hobby{port};
  BusServos bus{port};
  HeadDrive drive{kRest};
  Millis now = 1000;
  std::vector<Attitude> way;  ///< after each step

  explicit DriveRig(BodyKind kind = BodyKind::kPortA) {
    Servos& servos = kind == BodyKind::kStackChan ? static_cast<Servos&>(bus) : hobby;
    drive.use(&servos, reach_of(kind));
  }
  void run(Millis ms, bool hold = false, Millis step = 10) {
    for (Millis passed = 0; passed < ms; passed += step) {
      now += step;
      drive.step(hold, now);
      way.push_back(drive.at());
    }
  }
};

/// The fastest of a way in tenths of a degree a second, in windows of 100 ms of steps of 10 ms.
int fastest(const std::vector<Attitude>& way, Axis axis) {
  int most = 0;
  for (std::size_t place = 10; place < way.size(); ++place) {
    const int moved = std::abs(angle_of(way[place], axis) - angle_of(way[place - 10], axis));
    most = std::max(most, moved * 10);
  }
  return most;
}

}  // namespace

TEST_CASE("a movement takes its time, is slow at both ends, and arrives") {
  DriveRig rig;
  rig.drive.go({300, 50}, 2000);
  rig.run(1000);
  CHECK(std::abs(rig.drive.at().yaw - 150) <= 15);
  rig.run(1500);
  CHECK(rig.drive.at() == Attitude{300, 50});
  int before = 0;
  for (const Attitude& at : rig.way) {
    CHECK(at.yaw >= before);
    before = at.yaw;
  }
  CHECK(rig.way[10].yaw < 10);  // 5 % of the time: 0.7 % of the way
}

TEST_CASE("no movement is faster than it may be, however little time it is given") {
  for (const Attitude target :
       {Attitude{100, 300}, Attitude{300, 300}, Attitude{750, 300}, Attitude{-750, 60}}) {
    DriveRig rig;
    rig.drive.go(target, 1);
    rig.run(3000);
    CAPTURE(target.yaw);
    CHECK(rig.drive.at() == target);
    CHECK(fastest(rig.way, Axis::kYaw) <= HeadDrive::kMostSpeed * 21 / 20);
    CHECK(fastest(rig.way, Axis::kPitch) <= HeadDrive::kMostSpeed * 21 / 20);
  }
}

TEST_CASE("no head goes beyond its reach") {
  for (const BodyKind kind : {BodyKind::kPortA, BodyKind::kStackChan}) {
    const Reach reach = reach_of(kind);
    for (const Attitude target : {Attitude{3000, 3000}, Attitude{-3000, -3000}}) {
      DriveRig rig(kind);
      rig.drive.go(target, 100);
      rig.run(6000);
      CHECK(rig.drive.at() == limited(target, reach));
      for (const Attitude& at : rig.way) {
        CHECK(std::abs(at.yaw) <= reach.most_yaw);
        CHECK(at.pitch >= reach.least_pitch);
        CHECK(at.pitch <= reach.most_pitch);
      }
    }
  }
  CHECK(reach_of(BodyKind::kStackChan).least_pitch == 50);
  CHECK(reach_of(BodyKind::kStackChan).most_pitch == 850);
}

TEST_CASE("one servo begins at a time") {
  DriveRig rig;
  rig.drive.go({500, 250}, 1000);
  Millis yaw_at = 0;
  Millis pitch_at = 0;
  for (int step = 0; step < 100; ++step) {
    rig.run(10);
    if (yaw_at == 0 && !rig.port.values(Kind::kPulse, 0).empty()) yaw_at = rig.now;
    if (pitch_at == 0 && !rig.port.values(Kind::kPulse, 1).empty()) pitch_at = rig.now;
  }
  REQUIRE(yaw_at != 0);
  CHECK(pitch_at - yaw_at >= HeadDrive::kApartMs);
  CHECK(pitch_at - yaw_at < 2 * HeadDrive::kApartMs);
}

TEST_CASE("the servos are let go soon after a movement, unless they shall hold") {
  for (const BodyKind kind : {BodyKind::kPortC, BodyKind::kStackChan}) {
    DriveRig rig(kind);
    CHECK_FALSE(rig.drive.powered());
    rig.drive.go({200, 100}, 500);
    rig.run(700, true);
    CHECK(rig.drive.powered());
    rig.run(5000, true);
    CHECK(rig.drive.powered());
    rig.run(HeadDrive::kHoldMs + 40);
    CHECK_FALSE(rig.drive.powered());
    CHECK_FALSE(rig.port.supplied);
    if (kind == BodyKind::kPortC) {
      CHECK(rig.port.values(Kind::kPulse, 0).back() == 0);
      CHECK(rig.port.values(Kind::kPulse, 1).back() == 0);
    }
    const std::size_t orders = rig.port.orders.size();
    rig.run(60000);
    CHECK(rig.port.orders.size() == orders);
  }
}

TEST_CASE("a movement begins where the head was found") {
  DriveRig rig(BodyKind::kStackChan);
  rig.port.positions = {460 + 160, 620 + 16};  // somebody has turned it by 50 degrees
  rig.drive.go({0, 100}, 400);
  rig.run(2500);
  const std::vector<int> goals = rig.port.values(Kind::kGoal, 0);
  CHECK(goals.front() == 620);
  CHECK(goals.back() == 460);
  for (std::size_t place = 1; place < goals.size(); ++place) {
    CHECK(std::abs(goals[place] - goals[place - 1]) <= 16);  // 5 degrees in 40 ms
  }
}

TEST_CASE("a task that was held up does not make the head jump") {
  DriveRig rig;
  rig.drive.go({700, 50}, 1000);
  rig.run(300);
  const int before = rig.drive.at().yaw;
  rig.now += 5000;
  rig.run(10);
  CHECK(std::abs(rig.drive.at().yaw - before) <= HeadDrive::kMostSpeed / 20);
}

TEST_CASE("the clock's wrap is nothing") {
  DriveRig rig;
  rig.now = 0xFFFFFFFFU - 300;
  rig.drive.go({300, 200}, 800);
  rig.run(2500);
  CHECK(rig.drive.at() == Attitude{300, 200});
  CHECK_FALSE(rig.drive.powered());
}

TEST_CASE("halted it stays, and another aim is taken from there") {
  DriveRig rig;
  rig.drive.go({700, 50}, 2000);
  rig.run(1000);
  rig.drive.halt();
  const Attitude there = rig.drive.at();
  CHECK(there.yaw > 100);
  rig.run(300);
  CHECK(rig.drive.at() == there);
  rig.drive.go({0, 50}, 500);
  rig.run(40);
  CHECK(std::abs(rig.drive.at().yaw - there.yaw) <= 20);
  rig.run(3000);
  CHECK(rig.drive.at().yaw == 0);
}

TEST_CASE("servos that do not answer end the movement; it is tried again with the next") {
  DriveRig rig(BodyKind::kStackChan);
  rig.port.dead = true;
  rig.drive.go({200, 100}, 500);
  bool told = false;
  for (int step = 0; step < 200; ++step) told = !rig.drive.step(false, rig.now += 10) || told;
  CHECK(told);
  CHECK(rig.drive.silent());
  CHECK_FALSE(rig.drive.moving());
  CHECK_FALSE(rig.drive.powered());
  const std::size_t asked = rig.port.values(Kind::kAsk, 0).size();
  rig.run(20000);
  CHECK(rig.port.values(Kind::kAsk, 0).size() == asked);
  rig.port.dead = false;
  rig.drive.go({200, 100}, 500);
  rig.run(2000);
  CHECK_FALSE(rig.drive.silent());
  CHECK(rig.drive.at() == Attitude{200, 100});
}

TEST_CASE("a new calibration reaches servos that hold still") {
  DriveRig rig;
  rig.drive.go({0, 100}, 500);
  rig.run(1500, true);
  rig.hobby.calibrate({{100, 0}, false});
  rig.drive.renew();
  rig.run(40, true);
  CHECK(rig.port.values(Kind::kPulse, 0).back() == 1368);
}
