// Exponential backoff with jitter, so that not all devices come back at once.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/base/random.h"

namespace lobug {

class Backoff {
 public:
  Backoff(Millis first_ms, Millis most_ms) : first_(first_ms), most_(most_ms), next_(first_ms) {}
  /// The wait before the next try: between half of the step and the whole of it; each is twice the
  /// last, up to `most`.
  Millis next(Random& random) {
    const Millis step = next_ < most_ ? next_ : most_;
    next_ = step > most_ / 2 ? most_ : step * 2;
    const Millis half = step / 2;
    return step - random.next() % (half + 1);
  }
  /// It worked: start with the first wait again.
  void reset() { next_ = first_; }

 private:
  Millis first_;
  Millis most_;
  Millis next_;
};

}  // namespace lobug
