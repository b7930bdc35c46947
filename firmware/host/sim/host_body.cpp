#include "host_body.h"

#include <numeric>
#include <string_view>

namespace lobug::sim {
namespace {

constexpr std::uint8_t kRead = 2;
constexpr std::uint8_t kWrite = 3;
constexpr std::uint8_t kTorque = 40;
constexpr std::uint8_t kGoal = 42;
constexpr std::uint8_t kPosition = 56;

std::string_view name_of(std::size_t axis) { return axis == 0 ? "yaw" : "pitch"; }

std::uint8_t sum_of(Bytes bytes) {
  return static_cast<std::uint8_t>(~std::accumulate(bytes.begin(), bytes.end(), 0U));
}

}  // namespace

void HostBody::pulse(Axis axis, std::uint16_t microseconds) {
  const auto place = static_cast<std::size_t>(axis);
  if (pulses_[place] == microseconds) return;
  pulses_[place] = microseconds;
  tell(static_cast<std::uint8_t>(place + 1), "pulse_us", microseconds);
}

void HostBody::supply(bool on) {
  if (on == supplied_) return;
  supplied_ = on;
  answers_.clear();
  log_.emit("supply", [&](json::Writer& json) { json.name("on").boolean(on); });
}

void HostBody::tell(std::uint8_t servo, const char* what, std::int64_t value) {
  log_.emit("servo", [&](json::Writer& json) {
    json.name("axis").text(name_of(servo - 1U)).name(what).number(value);
  });
}

/// A frame is whole: the device hands each over by itself.
void HostBody::send(Bytes frame) {
  if (!supplied_ || world_.servos_dead.load()) return;
  const bool whole = frame.size() >= 6 && frame[0] == 0xFF && frame[1] == 0xFF &&
                     frame[3] + 4U == frame.size() && frame[2] >= 1 && frame[2] <= kAxisCount;
  if (!whole || sum_of(frame.drop(2).first(frame.size() - 3)) != frame[frame.size() - 1]) {
    log_.emit("error", [](json::Writer& json) { json.name("message").text("a damaged frame"); });
    return;
  }
  take(frame);
}

void HostBody::take(Bytes frame) {
  const std::uint8_t servo = frame[2];
  std::uint16_t& position = positions_[servo - 1U];
  std::array<std::uint8_t, 5> answer{servo, 2, 0, 0, 0};
  std::size_t size = 3;
  if (frame[4] == kWrite && frame[5] == kTorque) {
    tell(servo, "torque", frame[6]);
  } else if (frame[4] == kWrite && frame[5] == kGoal) {
    position = static_cast<std::uint16_t>(frame[6] << 8U | frame[7]);
    tell(servo, "position", position);
  } else if (frame[4] == kRead && frame[5] == kPosition) {
    answer = {servo, 4, 0, static_cast<std::uint8_t>(position >> 8U),
              static_cast<std::uint8_t>(position & 0xFFU)};
    size = 5;
  }
  const Bytes told(answer.data(), size);
  answers_.insert(answers_.end(), {0xFF, 0xFF});
  answers_.insert(answers_.end(), told.begin(), told.end());
  answers_.push_back(sum_of(told));
}

std::size_t HostBody::receive(MutableBytes into) {
  std::size_t count = 0;
  while (count < into.size() && !answers_.empty()) {
    into[count++] = answers_.front();
    answers_.pop_front();
  }
  return count;
}

}  // namespace lobug::sim
