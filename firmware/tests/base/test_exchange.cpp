// Queue and Latest in one thread; with two: test_exchange_threads.cpp.
#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <initializer_list>

#include "lobug/base/exchange.h"
#include "support/scripted_random.h"

using namespace lobug;

TEST_CASE("a queue holds what it says, in order") {
  Queue<int, 3> queue;
  int value = -1;
  CHECK_FALSE(queue.pop(value));
  CHECK(value == -1);
  for (int round = 0; round < 5; ++round) {
    CHECK(queue.push(1));
    CHECK(queue.push(2));
    CHECK(queue.push(3));
    CHECK_FALSE(queue.push(4));
    for (const int expected : {1, 2, 3}) {
      REQUIRE(queue.pop(value));
      CHECK(value == expected);
    }
    CHECK_FALSE(queue.pop(value));
  }
}

TEST_CASE("a queue does as a plain one, whatever is asked of it") {
  ScriptedRandom random;
  Queue<std::uint32_t, 4> queue;
  std::deque<std::uint32_t> plain;
  for (int i = 0; i < 5000; ++i) {
    const std::uint32_t number = random.next();
    if (random.below(2) == 0) {
      const bool fits = plain.size() < 4;
      CHECK(queue.push(number) == fits);
      if (fits) plain.push_back(number);
    } else {
      std::uint32_t value = 0;
      REQUIRE(queue.pop(value) == !plain.empty());
      if (plain.empty()) continue;
      CHECK(value == plain.front());
      plain.pop_front();
    }
  }
}

TEST_CASE("the newest value is read, and again while there is no newer one") {
  Latest<int> latest;
  CHECK(latest.read() == 0);
  CHECK(latest.read() == 0);
  latest.publish(1);
  CHECK(latest.read() == 1);
  CHECK(latest.read() == 1);
  latest.publish(2);
  latest.publish(3);
  latest.publish(4);
  CHECK(latest.read() == 4);
  CHECK(latest.read() == 4);
}

TEST_CASE("what was read stays as it is while newer values come") {
  Latest<int> latest;
  latest.publish(1);
  const int& seen = latest.read();
  for (int value = 2; value < 10; ++value) {
    latest.publish(value);
    CHECK(seen == 1);
  }
  CHECK(latest.read() == 9);
}

TEST_CASE("the newest value is read at whatever pace") {
  ScriptedRandom random;
  Latest<std::uint32_t> latest;
  std::uint32_t newest = 0;
  for (int i = 0; i < 5000; ++i) {
    if (random.below(2) == 0) latest.publish(newest = random.next());
    if (random.below(2) == 0) CHECK(latest.read() == newest);
  }
}
