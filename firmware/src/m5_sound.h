// M5.Mic and M5.Speaker as the core's ports. Read in M5Unified 0.2.11.
#pragma once

#include <M5Unified.h>

#include "lobug/base/clock.h"
#include "lobug/ports/sound.h"

namespace lobug {

class M5Microphone final : public Microphone {
 public:
  bool start() override;
  void stop() override;
  bool record(Span<std::int16_t> buffer) override;
  std::size_t queued() const override;

 private:
  std::size_t given_ = 0;      // since M5's task was last seen at work
  mutable bool seen_ = false;  // it was at work since the last `record`
  Millis recorded_at_ = 0;
};

class M5Speaker final : public Speaker {
 public:
  bool start() override;
  void stop() override;
  bool play(Span<const std::int16_t> buffer) override;
  std::size_t queued() const override;
  void silence() override;
  void set_volume(std::uint8_t percent) override;
};

/// Sample rate, cores and priorities; before anything is started.
void configure_sound();

}  // namespace lobug
