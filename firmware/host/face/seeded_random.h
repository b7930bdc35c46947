// The same numbers for each picture, so that it can be compared.
#pragma once

#include <cstdint>

#include "lobug/base/random.h"

namespace lobug {

class SeededRandom final : public Random {
 public:
  std::uint32_t next() override {
    state_ = state_ * 1664525U + 1013904223U;
    return state_ >> 4U;
  }

 private:
  std::uint32_t state_ = 7;
};

}  // namespace lobug
