// What comes from the servos' bus: nothing but whole answers with a right sum is one, and no goal
// leaves the range in which a servo stops again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "lobug/body/servos.h"
#include "support/scripted_body.h"

namespace {

using lobug::Axis;
using lobug::Servos;

void require(bool holds) {
  if (!holds) std::abort();
}

void read_all(const std::vector<std::uint8_t>& bytes) {
  lobug::ScsReader reader;
  std::size_t place = 0;
  for (const std::uint8_t byte : bytes) {
    ++place;
    if (!reader.feed(byte)) continue;
    const lobug::ScsAnswer& answer = reader.answer();
    const std::size_t length = answer.size + 6U;
    require(answer.size <= lobug::ScsAnswer::kMostData && length <= place);
    const std::uint8_t* const frame = bytes.data() + place - length;
    require(frame[0] == 0xFF && frame[1] == 0xFF && frame[2] == answer.servo);
    unsigned sum = 0;
    for (std::size_t at = 2; at < length; ++at) sum += frame[at];
    require((sum & 0xFFU) == 0xFFU);
  }
}

void wake(const std::vector<std::uint8_t>& bytes) {
  lobug::test::ScriptedBody port;
  port.dead = true;  // nobody else answers
  lobug::BusServos servos(port);
  lobug::Millis now = 0;
  servos.wake(now);
  port.noise(bytes);
  Servos::State state = Servos::State::kWaking;
  for (int step = 0; step < 100 && state == Servos::State::kWaking; ++step) {
    state = servos.step(now += 20);
  }
  require(state == Servos::State::kReady || state == Servos::State::kSilent);
  require(port.supplied == (state == Servos::State::kReady));
  if (state == Servos::State::kReady) servos.turn(Axis::kYaw, -900);
  using Kind = lobug::test::ScriptedBody::Order::Kind;
  for (const auto& order : port.orders) {
    require(order.kind != Kind::kGoal || (order.value >= 0 && order.value <= 1023));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> bytes(data, data + size);
  read_all(bytes);
  wake(bytes);
  return 0;
}
