#include "lobug/net/backoff.h"

namespace lobug {

Millis Backoff::next(Random& random) {
  const Millis step = next_ < most_ ? next_ : most_;
  next_ = step > most_ / 2 ? most_ : step * 2;
  const Millis half = step / 2;
  return step - random.next() % (half + 1);
}

}  // namespace lobug
