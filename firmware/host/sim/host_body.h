// The body of the simulated device: two hobby servos, or StackChan's base with its serial bus.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <string>

#include "event_log.h"
#include "lobug/ports/body.h"

namespace lobug::sim {

/// What commands change, from another thread.
struct BodyWorld {
  std::atomic<std::uint8_t> head_touch{0};
  std::atomic<bool> servos_dead{false};  ///< they do not answer
};

/// Events: `servo` with `axis` and what it was told: `pulse_us`, `position`, `torque`; `supply`
/// with `on`.
class HostBody final : public BodyPort {
 public:
  /// `base`: StackChan's base is there.
  HostBody(bool base, const BodyWorld& world, EventLog& log)
      : base_(base), world_(world), log_(log) {}

  bool has_base() const override { return base_; }
  bool open(BodyKind kind) override { return kind != BodyKind::kStackChan || base_; }
  void close() override {}
  void pulse(Axis axis, std::uint16_t microseconds) override;
  void supply(bool on) override;
  void send(Bytes frame) override;
  std::size_t receive(MutableBytes into) override;
  std::uint8_t head_touch() override { return world_.head_touch.load(); }

 private:
  void take(Bytes frame);
  void tell(std::uint8_t servo, const char* what, std::int64_t value);

  const bool base_;
  const BodyWorld& world_;
  EventLog& log_;
  bool supplied_ = false;
  std::array<std::uint16_t, kAxisCount> pulses_{};
  std::array<std::uint16_t, kAxisCount> positions_{460, 636};  ///< as somebody has left them
  std::deque<std::uint8_t> answers_;
};

}  // namespace lobug::sim
