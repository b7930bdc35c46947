// What the self-test measures.
#pragma once

#include <cstdint>
#include <optional>

#include "lobug/ports/vitals.h"

namespace lobug {

/// Sound of the microphone for half a second.
struct HeardLevel {
  std::int16_t dbfs = 0;  ///< loudness without the offset, dB below full scale: -96 to 0
  bool dead = false;      ///< every sample was the same
  bool clipped = false;   ///< more than one sample in a hundred was at the end of the scale
};

struct Measurements {
  PsramCheck psram;
  std::optional<HeardLevel> before;  ///< the tone; none: the microphone could not be opened
  std::optional<HeardLevel> after;
  std::optional<std::uint16_t> to_speaker_ms;     ///< from the microphone; none: it never opened
  std::optional<std::uint16_t> to_microphone_ms;  ///< and back
  std::optional<std::uint16_t> frames_per_s;      ///< pictures; none: nothing is drawn
  std::uint32_t touches = 0;                      ///< since the start
  std::uint32_t motion_readings = 0;              ///< during the test
  std::int32_t gravity_mg = 0;                    ///< length of the last acceleration, g / 1000
  std::optional<std::uint8_t> battery;            ///< percent
  bool charging = false;
  bool wifi = false;
  std::optional<std::int8_t> wifi_dbm;
  MemoryMarks memory;
  StackMarks stacks;
  bool store_encrypted = false;  ///< not judged: no board's is, as it is built
};

/// What the screen and the serial line know of the self-test.
struct SelfTestState {
  enum class Phase : std::uint8_t {
    kNone,     ///< since the start
    kRunning,  ///< it takes about three seconds
    kDone,     ///< `measured` is whole
    kStopped,  ///< something else needed microphone or speaker
    kRefused,  ///< somebody talks with the device
  };
  Phase phase = Phase::kNone;
  std::uint8_t run = 0;  ///< grows by one with each that was asked for
  Measurements measured;
};

}  // namespace lobug
