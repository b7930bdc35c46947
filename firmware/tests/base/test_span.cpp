#include <doctest/doctest.h>

#include "lobug/base/span.h"

using namespace lobug;

TEST_CASE("a span's beginning and rest, within its ends") {
  int numbers[] = {1, 2, 3};
  const Span<int> all(numbers);
  CHECK(all.size() == 3);
  CHECK(all.first(2).size() == 2);
  CHECK(all.first(2)[1] == 2);
  CHECK(all.first(9).size() == 3);
  CHECK(all.first(0).empty());
  CHECK(all.drop(1).size() == 2);
  CHECK(all.drop(1)[0] == 2);
  CHECK(all.drop(3).empty());
  CHECK(all.drop(3).data() == numbers + 3);
  CHECK(all.drop(9).empty());
  CHECK(all.drop(9).data() == numbers + 3);
  const Span<const int> constant = all;
  int sum = 0;
  for (const int number : constant) sum += number;
  CHECK(sum == 6);
  all[0] = 7;
  CHECK(constant[0] == 7);
  const Span<int> none;
  CHECK(none.empty());
  CHECK(none.first(1).empty());
  CHECK(none.drop(1).empty());
}
