// Randomness is passed in, so that tests are repeatable.
#pragma once

#include <cstdint>

namespace lobug {

/// A source of random numbers: the chip's own generator, the host's, or a scripted one.
class Random {
 public:
  virtual ~Random() = default;
  /// 32 random bits, good enough for WebSocket masks and identifiers.
  virtual std::uint32_t next() = 0;
};

}  // namespace lobug
