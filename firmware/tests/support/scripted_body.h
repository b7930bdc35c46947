// The pins and chips of a body in memory: notes what the device tells its servos, and answers as a
// serial bus does.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "lobug/ports/body.h"

namespace lobug::test {

class ScriptedBody final : public BodyPort {
 public:
  struct Order {
    enum class Kind : std::uint8_t { kSupply, kPulse, kGoal, kTorque, kAsk };
    Kind kind;
    int axis;
    int value;
  };

  bool base = false;      ///< StackChan's is there
  bool has_pins = true;   ///< of any body
  bool dead = false;      ///< no servo answers
  bool echoes = false;    ///< the bus is one wire: what is sent comes back
  std::uint8_t hand = 0;  ///< on the head
  std::array<int, kAxisCount> positions{460, 636};
  BodyKind opened = BodyKind::kNone;
  bool supplied = false;
  std::vector<Order> orders;

  bool has_base() const override { return base; }
  bool open(BodyKind kind) override {
    if (!has_pins) return false;
    opened = kind;
    return true;
  }
  void close() override { opened = BodyKind::kNone; }
  void pulse(Axis axis, std::uint16_t microseconds) override {
    note(Order::Kind::kPulse, static_cast<int>(axis), microseconds);
  }
  void supply(bool on) override {
    supplied = on;
    answers_.clear();
    note(Order::Kind::kSupply, 0, on ? 1 : 0);
  }
  void send(Bytes frame) override {
    if (echoes) answers_.insert(answers_.end(), frame.begin(), frame.end());
    if (!supplied) return;
    const int axis = frame[2] - 1;
    std::vector<std::uint8_t> answer{frame[2], 2, 0};
    if (frame[4] == 2) {
      note(Order::Kind::kAsk, axis, 0);
      const int position = positions[static_cast<std::size_t>(axis)];
      answer = {frame[2], 4, 0, static_cast<std::uint8_t>(position / 256),
                static_cast<std::uint8_t>(position % 256)};
    } else if (frame[5] == 40) {
      note(Order::Kind::kTorque, axis, frame[6]);
    } else {
      positions[static_cast<std::size_t>(axis)] = frame[6] * 256 + frame[7];
      note(Order::Kind::kGoal, axis, frame[6] * 256 + frame[7]);
    }
    if (!dead) reply(answer);
  }
  std::size_t receive(MutableBytes into) override {
    std::size_t count = 0;
    for (; count < into.size() && !answers_.empty(); ++count) {
      into[count] = answers_.front();
      answers_.pop_front();
    }
    return count;
  }
  std::uint8_t head_touch() override { return hand; }

  /// Any bytes, as noise on the bus.
  void noise(const std::vector<std::uint8_t>& bytes) {
    answers_.insert(answers_.end(), bytes.begin(), bytes.end());
  }
  /// The values of one kind of orders, of one axis.
  std::vector<int> values(Order::Kind kind, int axis) const {
    std::vector<int> found;
    for (const Order& order : orders) {
      if (order.kind == kind && order.axis == axis) found.push_back(order.value);
    }
    return found;
  }

 private:
  void note(Order::Kind kind, int axis, int value) { orders.push_back({kind, axis, value}); }
  void reply(const std::vector<std::uint8_t>& answer) {
    unsigned sum = 0;
    for (const std::uint8_t byte : answer) sum += byte;
    noise({0xFF, 0xFF});
    noise(answer);
    noise({static_cast<std::uint8_t>(~sum)});
  }

  std::deque<std::uint8_t> answers_;
};

}  // namespace lobug::test
