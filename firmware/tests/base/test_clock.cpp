#include <doctest/doctest.h>

#include <initializer_list>

#include "lobug/base/clock.h"

using namespace lobug;

TEST_CASE("a deadline is due from its moment on, across the wrap of the clock") {
  for (const Millis now : {0U, 1000U, 0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFFU, 0xFFFFFFFFU - 50}) {
    CAPTURE(now);
    Deadline deadline;
    deadline.set(now, 100);
    CHECK(deadline.is_set());
    CHECK_FALSE(deadline.due(now));
    CHECK(deadline.left(now) == 100);
    CHECK_FALSE(deadline.due(now + 99));
    CHECK(deadline.left(now + 99) == 1);
    CHECK(deadline.due(now + 100));
    CHECK(deadline.left(now + 100) == 0);
    CHECK(deadline.due(now + 0x7FFFFFFF));
    CHECK(elapsed(now, now + 100) == 100);
  }
}

TEST_CASE("a deadline that is not set is never due") {
  Deadline deadline;
  CHECK_FALSE(deadline.is_set());
  CHECK_FALSE(deadline.due(0));
  CHECK(deadline.left(0) == 0);
  deadline.set(5, 0);
  CHECK(deadline.due(5));
  deadline.clear();
  CHECK_FALSE(deadline.is_set());
  CHECK_FALSE(deadline.due(5));
  CHECK(deadline.left(5) == 0);
  deadline.set(5, 10);
  deadline.set(5, 20);
  CHECK_FALSE(deadline.due(15));
}

TEST_CASE("the longest span lasts its 24 days") {
  Deadline deadline;
  const Millis longest = 0x7FFFFFFF;
  deadline.set(1000, longest);
  CHECK_FALSE(deadline.due(1000));
  CHECK(deadline.left(1000) == longest);
  CHECK_FALSE(deadline.due(1000 + longest - 1));
  CHECK(deadline.due(1000 + longest));
}
