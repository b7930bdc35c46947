// Random numbers that are the same every time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lobug/base/random.h"

namespace lobug {

/// Gives the numbers of its list one after the other, then those of a fixed sequence.
class ScriptedRandom final : public Random {
 public:
  explicit ScriptedRandom(std::vector<std::uint32_t> numbers = {}, std::uint32_t seed = 1)
      : numbers_(std::move(numbers)), state_(seed) {}
  std::uint32_t next() override {
    ++asked;
    if (at_ < numbers_.size()) return numbers_[at_++];
    // SplitMix32: every seed is good.
    state_ += 0x9E3779B9U;
    std::uint32_t mixed = state_;
    mixed = (mixed ^ mixed >> 16U) * 0x21F0AAADU;
    mixed = (mixed ^ mixed >> 15U) * 0x735A2D97U;
    return mixed ^ mixed >> 15U;
  }
  /// At least 0, below `limit`.
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : next() % limit; }

  /// How many numbers were given.
  int asked = 0;

 private:
  std::vector<std::uint32_t> numbers_;
  std::size_t at_ = 0;
  std::uint32_t state_;
};

}  // namespace lobug
