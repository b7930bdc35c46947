#include "lobug/ui/rows.h"

#include <cstring>

namespace lobug {

Rows changed_rows(Span<const Colour> before, Span<const Colour> after, std::int16_t width,
                  std::int16_t height) {
  const auto columns = static_cast<std::size_t>(width);
  const auto differs = [&](int row) {
    const std::size_t at = static_cast<std::size_t>(row) * columns;
    return std::memcmp(before.data() + at, after.data() + at, columns * sizeof(Colour)) != 0;
  };
  int first = 0;
  while (first < height && !differs(first)) ++first;
  int last = height;
  while (last > first && !differs(last - 1)) --last;
  return {static_cast<std::int16_t>(first), static_cast<std::int16_t>(last - first)};
}

}  // namespace lobug
