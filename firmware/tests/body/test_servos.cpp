#include "lobug/body/servos.h"

#include <doctest/doctest.h>

#include "support/scripted_body.h"

using namespace lobug;
using lobug::test::ScriptedBody;
using Kind = ScriptedBody::Order::Kind;
using State = Servos::State;

namespace {

Calibration calibrated(std::int16_t yaw, std::int16_t pitch, bool reversed = false) {
  return {{yaw, pitch}, reversed};
}

/// Steps until something is decided; how long it took.
Millis wake(BusServos& servos, Millis now = 1000) {
  servos.wake(now);
  Millis passed = 0;
  while (servos.step(now + passed) == State::kWaking && passed < 5000) passed += 10;
  return passed;
}

}  // namespace

TEST_CASE("a hobby servo gets 544 to 2400 microseconds for its 180 degrees") {
  ScriptedBody port;
  HobbyServos servos(port);
  servos.wake(0);
  CHECK(servos.step(0) == State::kReady);
  CHECK_FALSE(servos.found(Axis::kYaw));
  servos.turn(Axis::kYaw, 0);
  servos.turn(Axis::kYaw, -900);  // to its own left
  servos.turn(Axis::kYaw, 900);
  CHECK(port.values(Kind::kPulse, 0) == std::vector<int>{1472, 2400, 544});
  servos.turn(Axis::kPitch, 0);
  servos.turn(Axis::kPitch, 300);  // up
  CHECK(port.values(Kind::kPulse, 1) == std::vector<int>{1472, 1162});
  servos.sleep();
  CHECK(port.values(Kind::kPulse, 0).back() == 0);
  CHECK(port.values(Kind::kPulse, 1).back() == 0);
}

TEST_CASE("calibration: an offset is added, and a servo on its head turns the other way") {
  ScriptedBody port;
  HobbyServos servos(port);
  servos.calibrate(calibrated(-100, 50));
  servos.turn(Axis::kYaw, 100);
  servos.turn(Axis::kPitch, -50);
  CHECK(port.values(Kind::kPulse, 0) == std::vector<int>{1472});
  CHECK(port.values(Kind::kPulse, 1) == std::vector<int>{1472});
  servos.calibrate(calibrated(0, 0, true));
  servos.turn(Axis::kYaw, -900);
  CHECK(port.values(Kind::kPulse, 0).back() == 544);
  servos.calibrate(calibrated(300, 0, true));
  servos.turn(Axis::kYaw, 900);  // further than it can
  CHECK(port.values(Kind::kPulse, 0).back() == 2400);
}

TEST_CASE("bus servos: supply, where are you, stay there, be strong") {
  ScriptedBody port;
  port.positions = {492, 652};
  BusServos servos(port);
  CHECK(wake(servos) >= BusServos::kStartMs);
  CHECK(port.supplied);
  CHECK(servos.found(Axis::kYaw) == 100);
  CHECK(servos.found(Axis::kPitch) == 100);
  CHECK(port.values(Kind::kAsk, 0).size() == 1);
  CHECK(port.values(Kind::kAsk, 1).size() == 1);
  CHECK(port.values(Kind::kGoal, 0) == std::vector<int>{492});
  CHECK(port.values(Kind::kGoal, 1) == std::vector<int>{652});
  // The goal before the torque, or it would jump to the last one.
  for (std::size_t place = 1; place < port.orders.size(); ++place) {
    if (port.orders[place].kind == Kind::kTorque) {
      CHECK(port.orders[place - 1].kind == Kind::kGoal);
    }
  }
  servos.turn(Axis::kYaw, -900);
  servos.turn(Axis::kPitch, 850);
  CHECK(port.values(Kind::kGoal, 0).back() == 460 - 288);
  CHECK(port.values(Kind::kGoal, 1).back() == 620 + 272);
  servos.sleep();
  CHECK(port.values(Kind::kTorque, 0) == std::vector<int>{1, 0});
  CHECK_FALSE(port.supplied);
}

TEST_CASE("bus servos: what is calibrated is found again") {
  ScriptedBody port;
  port.positions = {460 + 64, 620 + 32};
  BusServos servos(port);
  servos.calibrate(calibrated(50, -30, true));
  wake(servos);
  CHECK(servos.found(Axis::kYaw) == -250);
  CHECK(servos.found(Axis::kPitch) == 130);
  servos.turn(Axis::kYaw, -250);
  servos.turn(Axis::kPitch, 130);
  CHECK(port.values(Kind::kGoal, 0).back() == 460 + 64);
  CHECK(port.values(Kind::kGoal, 1).back() == 620 + 32);
}

TEST_CASE("bus servos: no goal is beyond what would make them turn for ever") {
  ScriptedBody port;
  BusServos servos(port);
  servos.calibrate(calibrated(300, 300));
  wake(servos);
  servos.turn(Axis::kPitch, 900);
  CHECK(port.values(Kind::kGoal, 1).back() == 1000);
  servos.turn(Axis::kYaw, -2000);
  CHECK(port.values(Kind::kGoal, 0).back() == 0);
}

TEST_CASE("servos that do not answer are asked five times, then left without supply") {
  ScriptedBody port;
  port.dead = true;
  BusServos servos(port);
  const Millis took = wake(servos);
  CHECK(servos.step(1000 + took) == State::kSilent);
  CHECK(took < 600);
  CHECK(port.values(Kind::kAsk, 0).size() == BusServos::kTries);
  CHECK_FALSE(port.supplied);
  CHECK(port.values(Kind::kGoal, 0).empty());
  port.dead = false;
  wake(servos);
  CHECK(servos.step(9000) == State::kReady);
}

TEST_CASE("a bus of one wire, and noise on it, change nothing") {
  ScriptedBody port;
  port.echoes = true;
  port.positions = {500, 660};
  BusServos servos(port);
  port.noise({0xFF, 0x12, 0xFF, 0xFF, 1, 4, 0, 9});
  wake(servos);
  CHECK(servos.step(5000) == State::kReady);
  CHECK(port.values(Kind::kGoal, 0) == std::vector<int>{500});
  CHECK(port.values(Kind::kGoal, 1) == std::vector<int>{660});
}
