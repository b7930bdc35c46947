#include <doctest/doctest.h>

#include "lobug/net/backoff.h"
#include "support/scripted_random.h"

using namespace lobug;

TEST_CASE("every wait lies between half of its step and the whole, and the steps double") {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    ScriptedRandom random({}, seed);
    Backoff backoff(1000, 60000);
    for (const Millis step : {1000U, 2000U, 4000U, 8000U, 16000U, 32000U, 60000U, 60000U}) {
      const Millis wait = backoff.next(random);
      CHECK(wait >= step / 2);
      CHECK(wait <= step);
    }
    backoff.reset();
    CHECK(backoff.next(random) <= 1000);
  }
}

TEST_CASE("both ends of the range are reached") {
  ScriptedRandom random({0, 500, 501, 0xFFFFFFFFU});
  Backoff first(1000, 60000);
  CHECK(first.next(random) == 1000);
  first.reset();
  CHECK(first.next(random) == 500);
  first.reset();
  CHECK(first.next(random) == 1000);
}

TEST_CASE("devices that lost their server together do not come back together") {
  ScriptedRandom random;
  Millis least = 60000;
  Millis most = 0;
  for (int device = 0; device < 100; ++device) {
    Backoff backoff(1000, 60000);
    for (int i = 0; i < 6; ++i) backoff.next(random);
    const Millis wait = backoff.next(random);
    least = wait < least ? wait : least;
    most = wait > most ? wait : most;
  }
  CHECK(most - least > 20000);
}

TEST_CASE("the steps do not overflow, and odd values are kept") {
  ScriptedRandom random;
  Backoff large(0x70000000U, 0xFFFFFFFFU);
  for (int i = 0; i < 5; ++i) CHECK(large.next(random) >= 0x38000000U);
  Backoff whole(0xFFFFFFFFU, 0xFFFFFFFFU);
  CHECK(whole.next(random) >= 0x7FFFFFFFU);
  Backoff none(0, 0);
  CHECK(none.next(random) == 0);
  Backoff one(1, 1);
  for (int i = 0; i < 20; ++i) CHECK(one.next(random) == 1);
  Backoff beyond(5000, 1000);  // a first step that is longer than the longest
  CHECK(beyond.next(random) <= 1000);
}
